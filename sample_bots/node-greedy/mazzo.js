// Speaks with the game master, so that a bot is one function from a view to an action.
"use strict";

const crypto = require("crypto");
const path = require("path");
const { inspect } = require("util");
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const SDK = "mazzo-node/1"; // for the statistics of the game master

const definition = loader.loadSync("mazzo/v1/play.proto", {
  includeDirs: [path.join(__dirname, "proto")],
  keepCase: true, // fields are named as in the contract
  longs: String, // the number of a match has 64 bits, more than a number of JavaScript
  defaults: true, // what was not sent is 0, "" or empty
  oneofs: true, // `view.game` names the part of a view that is there
});

// The numbers of a set: number N is in it if bit N is on, counted from the first byte's lowest.
function members(mask) {
  const numbers = [];
  for (let n = 0; n < mask.length * 8; n++) if (mask[n >> 3] & (1 << (n & 7))) numbers.push(n);
  return numbers;
}

// What came into the hand, from the bytes of `view.received`: for each receipt, in order, how many
// actions of the history came before it, and its cards.
function receipts(bytes) {
  const found = [];
  for (let n = 0; n < bytes.length; n += 2 + bytes[n + 1]) {
    found.push({ after: bytes[n], cards: [...bytes.subarray(n + 2, n + 2 + bytes[n + 1])] });
  }
  return found;
}

// Dice of one decision: `below(n)` draws a number from 0 to n - 1. The same seed and decision
// give the same draws, so a match can be played again.
function dice(seed, number) {
  let draws = 0;
  const below = (n) => {
    const words = `decision/${number}/${draws++}`;
    const digest = crypto.createHash("sha256").update(seed).update(words).digest();
    return Number(digest.readBigUInt64BE() % BigInt(n));
  };
  return { below };
}

// Plays until the game master says goodbye. `act(view, random)` returns the number of a legal
// action, or { action, note } with a word on it for the bot's author, or a promise of either;
// `random` are the decision's dice.
function run(act, { capacity = 1 } = {}) {
  const { MAZZO_ADDRESS, MAZZO_TOKEN } = process.env;
  if (!MAZZO_ADDRESS || !MAZZO_TOKEN) {
    const folder = path.relative("", __dirname) || "."; // as it can be typed here
    end(
      2,
      "expected MAZZO_ADDRESS and MAZZO_TOKEN to be set. The platform sets them when it starts " +
        `a bot: try yours with \`mazzo check ${folder}\`, ` +
        `and test it with \`npm test --prefix ${folder}\``,
    );
  }
  const { PlayService } = grpc.loadPackageDefinition(definition).mazzo.v1;
  const client = new PlayService(MAZZO_ADDRESS, grpc.credentials.createInsecure(), {
    "grpc.enable_http_proxy": 0,
  });
  const metadata = new grpc.Metadata();
  metadata.set("authorization", `Bearer ${MAZZO_TOKEN}`);
  const call = client.Play(metadata);
  const seeds = new Map(); // of the bot's dice, by match

  async function answer({ match, number, view }) {
    const chosen = await act(view, dice(seeds.get(match), number));
    const { action, note } = decided(chosen);
    // At once: the clocks of all decisions of a frame run until their own answers.
    call.write({ answer: { actions: [{ match, number, action, note }] } });
  }

  async function read(frame) {
    for (const { match, bot_seed } of frame.started) seeds.set(match, bot_seed);
    for (const decision of frame.decisions) await answer(decision);
    for (const { match } of frame.ended) seeds.delete(match);
  }

  let over = false; // the game master has said goodbye
  call.on("data", (message) => {
    if (message.ping) call.write({ pong: {} });
    if (message.frame) read(message.frame).catch(fail);
    if (message.goodbye) {
      over = true;
      call.end();
    }
  });
  call.on("error", ({ code, details }) => lose(details || "no reason given", grpc.status[code]));
  call.on("end", () => (over ? process.exit(0) : lose("no goodbye", "OK")));
  call.write({ join: { sdk: SDK, capacity } });
}

// What `act` returned, as { action, note }. What is no number the wire would turn into action 0,
// a card that nobody named; whether an action is legal the game master says better, by its code.
function decided(chosen) {
  const { action, note } = typeof chosen === "number" ? { action: chosen } : chosen ?? {};
  if (Number.isInteger(action) && action >= 0 && action < 2 ** 32) return { action, note };
  const got = inspect(chosen).replace(/\s+/g, " ").slice(0, 100); // one line, however much it is
  const hint = chosen === undefined ? "; act has to return it" : "";
  return end(
    1,
    "act: expected the number of an action, one of members(view.legal), " +
      `or { action, note } with such an action, got ${got}${hint}`,
  );
}

// What is written to standard error is kept: `mazzo bots logs` shows it to the bot's author.
function fail(error) {
  console.error(error);
  process.exit(1);
}

// The stream is over too early: the game master says why.
function lose(reason, code) {
  end(1, `the stream to the game master ended: ${reason} (${code})`);
}

function end(status, message) {
  console.error(`mazzo: ${message}`);
  process.exit(status);
}

module.exports = { dice, members, receipts, run };
