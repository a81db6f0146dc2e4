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

// The number of a legal action: something that it wishes to say, or a card.
function act(view) {
  const legal = members(view.legal);
  const cards = legal.filter((action) => action < game.cards.length);
  return say(view, legal) ?? (cards.length ? play(view, cards) : legal[0]);
}

function cheapestFirst(cards, trump) {
  // What it costs to part with a card: trumps most, then points, then rank.
  const price = (card) => 1000 * (suitOf(card) === trump) + 20 * pointsOf(card) + heightOf(card);
  return [...cards].sort((a, b) => price(a) - price(b));
}

function play(view, cards) {
  const trump = trumpOf(view);
  const sorted = cheapestFirst(cards, trump);
  const table = [...view.trick_cards];
  if (table.length) {
    const best = table.reduce((a, b) => (beats(b, a, trump) ? b : a));
    return sorted.find((card) => beats(card, best, trump)) ?? sorted[0];
  }
  return view.frap ? sorted.at(-1) : sorted[0]; // in Frap a trick is all that counts
}

// The first of its wishes that may be had; undefined if none may.
function say(view, legal) {
  const codes = legal.map((action) => game.actions[action]);
  for (const wish of wishes(members(view.hand), trumpOf(view))) {
    const found = codes.findIndex((code) => code.startsWith(wish));
    if (found >= 0) return legal[found];
  }
  return undefined;
}

// How the codes begin of what it would say, which depends on the hand.
function wishes(hand, trump) {
  // Frap: two good cards are worth a call, one a whist, and the others are exchanged.
  const isGood = (card) =>
    rankOf(card) === "A" || (suitOf(card) === trump && "KQJT".includes(rankOf(card)));
  const good = hand.filter(isGood).length;
  const bad = cheapestFirst(hand.filter((card) => !isGood(card)), trump);
  // Chiamata: five cards of a suit are worth a bid; the partner has the best trump that is missing.
  const cardsIn = (suit) => hand.filter((card) => suitOf(card) === suit);
  const worth = (suit) => cardsIn(suit).reduce((sum, card) => sum + 100 + pointsOf(card), 0);
  const [best] = hand.map(suitOf).sort((a, b) => worth(b) - worth(a));
  const held = cardsIn(trump).map(rankOf);
  const missing = [...ORDER].filter((rank) => !held.includes(rank));
  return [
    ...["look", "declare:", "pluck:"],
    good >= 2 && "frap",
    good >= 1 && "whist",
    cardsIn(best).length >= 5 && "bid:",
    ...["pass", `trump:${best}`],
    ...missing.map((rank) => `call:${rank}${trump}`),
    ...bad.map((card) => `discard:${game.cards[card]}`),
    ...["stand", "decline"],
  ].filter(Boolean);
}

module.exports = { act };

if (require.main === module) run(act, { capacity: 16 });
