// gRPC and protobuf by hand, for no package can be counted on: takes the first legal action.
const http2 = require("http2"), net = require("net");

const varint = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...varint(n >>> 7)]);
const field = (number, bytes) => [(number << 3) | 2, ...varint(bytes.length), ...bytes];

function* fields(bytes) {
  let at = 0;
  const number = () => {
    for (let n = 0, factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      n += (byte & 127) * factor;
      if (byte < 128) return n;
    }
  };
  while (at < bytes.length) {
    const key = number();
    const length = { 0: 0, 1: 8, 2: 0, 5: 4 }[key & 7];
    if ((key & 7) === 0) yield [key >> 3, number()];
    else {
      const end = ((key & 7) === 2 ? number() : length) + at;
      yield [key >> 3, bytes.subarray(at, end)];
      at = end;
    }
  }
}
const read = (bytes) => Object.fromEntries(fields(bytes));
const all = (bytes, number) => [...fields(bytes)].filter(([n]) => n === number).map(([, v]) => v);

const socket = process.env.MAZZO_ADDRESS.replace("unix:", "");
const session = http2.connect("http://localhost", { createConnection: () => net.connect(socket) });
const call = session.request({
  ":method": "POST",
  ":path": "/mazzo.v1.PlayService/Play",
  "content-type": "application/grpc",
  te: "trailers",
  authorization: `Bearer ${process.env.MAZZO_TOKEN}`,
});
const send = (message) => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  call.write(Buffer.concat([head, Buffer.from(message)]));
};

function answer(frame) {
  return all(frame, 2).flatMap((bytes) => {
    const { 1: match, 2: number, 3: view } = read(bytes);
    const legal = read(view)[6];
    let action = 0;
    while (!(legal[action >> 3] & (1 << (action & 7)))) action++;
    return field(1, [9, ...match, 16, ...varint(number), 24, ...varint(action)]);
  });
}

let waiting = Buffer.alloc(0);
call.on("data", (data) => {
  waiting = Buffer.concat([waiting, data]);
  while (waiting.length >= 5 && waiting.length >= 5 + waiting.readUInt32BE(1)) {
    const end = 5 + waiting.readUInt32BE(1);
    const message = read(waiting.subarray(5, end));
    waiting = waiting.subarray(end);
    if (message[4]) send(field(4, []));
    if (message[2] && all(message[2], 2).length) send(field(2, answer(message[2])));
    if (message[3]) call.end();
  }
});
call.on("end", () => process.exit(0));
send(field(1, [16, 8]));
