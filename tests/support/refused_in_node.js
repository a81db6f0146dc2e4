// Makes calls one after the other, as JSON on standard input has them, and prints how each ended.
"use strict";

const grpc = require(require.resolve("@grpc/grpc-js", { paths: [process.argv[2]] }));

const { address, calls } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const client = new grpc.Client(address, grpc.credentials.createInsecure());
const same = (bytes) => bytes;

function end(asked) {
  return new Promise((resolve) => {
    const metadata = new grpc.Metadata();
    if (asked.authorization) metadata.set("authorization", asked.authorization);
    const call = client.makeBidiStreamRequest(asked.path, same, same, metadata);
    call.on("data", () => {});
    call.on("error", () => {});
    call.on("status", ({ code, details, metadata }) => {
      const [status] = metadata.get("grpc-status-details-bin");
      resolve({ code, text: details, status: status ? status.toString("base64") : "" });
    });
    for (const message of asked.messages) call.write(Buffer.from(message, "base64"));
    call.end();
  });
}

(async () => {
  const ended = [];
  for (const asked of calls) ended.push(await end(asked));
  console.log(JSON.stringify(ended));
  client.close();
})();
