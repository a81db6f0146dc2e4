# What bots in JavaScript find around them with `--isolation docker`:
#     docker build -f docker/bot-node.Dockerfile -t mazzo-bot-node .
# Everything but `node` a bot brings along. BASE needs Perl as well, as every Debian has.
ARG BASE=node:20-bookworm-slim

FROM ${BASE}
RUN node --version && perl -MPOSIX -e 1
COPY docker/bot-init /mazzo/init
RUN chmod 0755 /mazzo/init
USER 10001:10001
WORKDIR /bot
ENTRYPOINT ["/mazzo/init"]
