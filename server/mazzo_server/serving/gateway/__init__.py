"""What stands before the ports: a program of its own that takes connections and passes calls on.

gRPC shows neither its connections nor which of them have shown a token, takes memory for each
frame that is sent to it, and answers other protocols in words of its own. So clients connect to
the gateway: it does the TLS, gives connections without a token little room and time, counts the
frames that cost a client nothing, and tells who does not speak gRPC why. The server behind it
listens at a Unix socket, and tells the gateway which connections make calls that it lets in.

`python -m mazzo_server.serving.gateway` runs as soon as its own modules are there, so this
package gives nothing of itself here.
"""
