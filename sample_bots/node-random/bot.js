// Takes any legal action, each as likely as the others.
"use strict";

const { members, run } = require("./mazzo");

function act(view, random) {
  const legal = members(view.legal);
  return legal[random.below(legal.length)];
}

module.exports = { act };

if (require.main === module) run(act, { capacity: 64 });
