// Briscola: leads the least, takes what it can cheaply, and gives points to its partners.
"use strict";

const { members, run } = require("./mazzo");

const RANKS = "A234567JHK"; // a card is suit * 10 + rank, and playing it the action of its number
const FROM_HIGH = "A3KHJ76542";
const POINTS = { A: 11, 3: 10, K: 4, H: 3, J: 2 };

const suitOf = (card) => Math.floor(card / 10);
const rankOf = (card) => RANKS[card % 10];
const pointsOf = (card) => POINTS[rankOf(card)] || 0;
const heightOf = (card) => -FROM_HIGH.indexOf(rankOf(card));

// Whether a card, laid after another, takes the trick from it.
function beats(card, other, trump) {
  if (suitOf(card) === suitOf(other)) return heightOf(card) > heightOf(other);
  return suitOf(card) === trump;
}

// The seat and card that are winning the trick on the table; undefined when it is empty.
function winning(view, trump) {
  const players = view.hand_counts.length;
  return [...view.trick_cards]
    .map((card, place) => ({ card, seat: (view.trick_leader + place) % players }))
    .reduce((best, play) => (!best || beats(play.card, best.card, trump) ? play : best), undefined);
}

// With four and six players every other seat is a partner.
function isPartner(view, seat) {
  const players = view.hand_counts.length;
  return players > 3 && seat !== view.seat && (seat - view.seat) % 2 === 0;
}

// One of the cards; what may be said before playing is left out.
function act(view) {
  const hand = members(view.hand);
  const trump = suitOf(view.briscola.trump_card);
  // What it costs to play a card: trumps most, then points, then rank.
  const price = (card) =>
    1000 * (suitOf(card) === trump) + 20 * pointsOf(card) + heightOf(card);
  const cheapest = (cards) => cards.reduce((a, b) => (price(b) < price(a) ? b : a));

  const best = winning(view, trump);
  if (!best) return cheapest(hand);
  const isLast = view.trick_cards.length === view.hand_counts.length - 1;
  if (isLast && isPartner(view, best.seat)) {
    const gifts = hand.filter((card) => suitOf(card) !== trump);
    if (!gifts.length) return cheapest(hand);
    return gifts.reduce((a, b) => (pointsOf(b) > pointsOf(a) ? b : a));
  }
  const takers = hand.filter((card) => beats(card, best.card, trump));
  if (takers.length) {
    const taker = cheapest(takers);
    const pays = [...view.trick_cards].some((card) => pointsOf(card) > 0);
    if (suitOf(taker) !== trump || pays) return taker;
  }
  return cheapest(hand);
}

module.exports = { act };

if (require.main === module) run(act, { capacity: 64 });
