// Asks the bot in positions that are made up: `npm test`. Whole matches are for `mazzo check`.
"use strict";

const assert = require("node:assert");
const test = require("node:test");
const { act } = require("./bot");
const { dice, members, receipts } = require("./mazzo");
const game = require("./game.json");

const SEED = Buffer.alloc(32);

// A set of numbers, as it comes over the wire.
function setOf(numbers) {
  const mask = Buffer.alloc(Math.ceil(game.actions.length / 8));
  for (const n of numbers) mask[n >> 3] |= 1 << (n & 7);
  return mask;
}

// As many different cards as are asked for.
function draw(random, count) {
  const cards = game.cards.map((_, card) => card);
  return Array.from({ length: count }, () => cards.splice(random.below(cards.length), 1)[0]);
}

// The part of a view that its game alone has, with this card as trump.
function part(trump) {
  const own = { trump_card: trump, prizes: Buffer.from([trump]), trump: 0, _trump: "trump" };
  return { [game.game.replace("tressette-", "").replace("-", "_").replace("briscola_", "")]: own };
}

test("a set has the numbers whose bits are on", () => {
  assert.deepStrictEqual(members(Buffer.from([0, 2, 32, 1])), [9, 21, 24]);
  assert.deepStrictEqual(members(setOf([0, 7, 8, 39])), [0, 7, 8, 39]);
});

test("receipts tell what came and after how many actions", () => {
  assert.deepStrictEqual(receipts(Buffer.alloc(0)), []);
  const dealt = { after: 0, cards: [3, 10, 31] };
  const drawn = { after: 2, cards: [0] };
  assert.deepStrictEqual(receipts(Buffer.from([0, 3, 3, 10, 31, 2, 1, 0])), [dealt, drawn]);
});

test("dice fall the same way again, and show every side", () => {
  const sides = (number) => Array.from({ length: 60 }, () => dice(SEED, number).below(6));
  assert.deepStrictEqual(sides(1), sides(1));
  const random = dice(SEED, 1);
  assert.strictEqual(new Set(Array.from({ length: 60 }, () => random.below(6))).size, 6);
});

test("it plays one of the legal cards, whatever lies on the table", () => {
  for (let number = 0; number < 500; number++) {
    const random = dice(SEED, number);
    const [trump, ...cards] = draw(random, 6);
    const hand = cards.slice(0, 3);
    const legal = hand.slice(random.below(3));
    const view = {
      ...{ hand: setOf(hand), legal: setOf(legal), trick_cards: Buffer.from(cards.slice(3)) },
      ...{ seat: 0, trick_leader: 1, hand_counts: Buffer.from([3, 3]), ...part(trump) },
    };
    if (number % 3 === 0) view.trick_cards = Buffer.alloc(0);
    assert.ok(legal.includes(act(view, random)), JSON.stringify(view));
  }
});

test("it says one of the things that it may say", () => {
  const words = game.actions.map((_, action) => action).slice(game.cards.length);
  for (const word of words) {
    const random = dice(SEED, word);
    const view = { hand: setOf(draw(random, 5)), legal: setOf([word]), ...part(0) };
    assert.strictEqual(act(view, random), word);
  }
});
