// Takes what it can cheaply, throws away the least.
"use strict";

const { members, run } = require("./mazzo");
const game = require("./game.json"); // its cards and actions, each at the place of its number

// Ranks from high to low, and what cards are worth, in games where they are worth something.
const ORDERS = { frap: "AKQJT98765432", "tressette-meta-mazzo": "32AKHJ7654" };
ORDERS["tressette-pizzichino"] = ORDERS["tressette-meta-mazzo"];
const ORDER = ORDERS[game.game] || "A3KHJ76542";
const POINTS = game.game.startsWith("tressette")
  ? { A: 3, 2: 1, 3: 1, K: 1, H: 1, J: 1 }
  : game.game.startsWith("briscola")
    ? { A: 11, 3: 10, K: 4, H: 3, J: 2 }
    : {};

const rankOf = (card) => game.cards[card][0];
const suitOf = (card) => game.cards[card][1];
const pointsOf = (card) => POINTS[rankOf(card)] || 0;
const heightOf = (card) => -ORDER.indexOf(rankOf(card));

// The trump suit; undefined in Tressette, and in chiamata until it is announced.
function trumpOf(view) {
  if (view.briscola) return suitOf(view.briscola.trump_card);
  if (view.chiamata) return view.chiamata._trump && "dcsb"[view.chiamata.trump];
  if (view.frusta) return suitOf(view.frusta.prizes[0]);
  if (view.frap) return suitOf(view.frap.trump_card);
  return undefined;
}

// Whether a card, laid after another, takes the trick from it.
function beats(card, other, trump) {
  if (suitOf(card) === suitOf(other)) return heightOf(card) > heightOf(other);
  return suitOf(card) === trump;
}

// The number of a legal action: a card if it may play one.
function act(view) {
  const legal = members(view.legal);
  const cards = legal.filter((action) => action < game.cards.length);
  return cards.length ? play(view, cards) : say(view, legal);
}

function play(view, cards) {
  const trump = trumpOf(view);
  // What it costs to part with a card: trumps most, then points, then rank.
  const price = (card) => 1000 * (suitOf(card) === trump) + 20 * pointsOf(card) + heightOf(card);
  const cheapestFirst = [...cards].sort((a, b) => price(a) - price(b));
  const table = [...view.trick_cards];
  if (table.length) {
    const best = table.reduce((a, b) => (beats(b, a, trump) ? b : a));
    const takers = cheapestFirst.filter((card) => beats(card, best, trump));
    if (takers.length) return takers[0];
  }
  return cheapestFirst[0];
}

// What is no card: the first of these wishes that may be had.
function say(view, legal) {
  const suits = members(view.hand).map(suitOf);
  const count = (suit) => suits.filter((other) => other === suit).length;
  const longest = suits.reduce((a, b) => (count(b) > count(a) ? b : a), suits[0]);
  const called = [...ORDER].map((rank) => `call:${rank}${trumpOf(view)}`);
  const wishes = ["look", "declare:", "pluck:", "pass", `trump:${longest}`, ...called];
  const codes = legal.map((action) => game.actions[action]);
  for (const wish of [...wishes, "stand", "decline"]) {
    const found = codes.findIndex((code) => code.startsWith(wish));
    if (found >= 0) return legal[found];
  }
  return legal[0];
}

module.exports = { act };

if (require.main === module) run(act, { capacity: 16 });
