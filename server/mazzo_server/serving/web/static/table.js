// Sends what a person at a table chooses without loading the page anew, and counts the clock down.
// Without it each choice loads the page.

const live = document.querySelector("#live");
let hasChosen = false; // and waits for the next question

live.addEventListener("submit", async (event) => {
  const form = event.target;
  const data = new URLSearchParams(new FormData(form, event.submitter));
  event.preventDefault();
  hasChosen = true;
  form.querySelectorAll("button").forEach((button) => (button.disabled = true));
  try {
    const answer = await fetch(form.getAttribute("action"), { method: "POST", body: data, redirect: "manual" });
    if (answer.status >= 500) letChooseAgain(form);
    else if (answer.type !== "opaqueredirect") location.reload();
  } catch {
    letChooseAgain(form);
  }
});

// A page of the table is better than one that says that nobody answers.
function letChooseAgain(form) {
  hasChosen = false;
  form.querySelectorAll("button").forEach((button) => (button.disabled = false));
  const detail = "Your choice did not arrive: choose again.";
  live.dispatchEvent(new CustomEvent("loss", { detail }));
}

// Who plays by keyboard goes on where the hand is.
new MutationObserver(() => {
  const next = live.querySelector(".own button");
  if (!hasChosen || !next) return;
  hasChosen = false;
  next.focus();
}).observe(live, { childList: true });

setInterval(() => {
  const clock = live.querySelector(".clock");
  if (!clock) return;
  clock.dataset.seconds = Math.max(clock.dataset.seconds - 1, 0);
  clock.textContent = Math.round(clock.dataset.seconds);
}, 1000);
