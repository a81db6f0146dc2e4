// Shows a part of a page anew while it changes: the standing of a tournament, the progress of a
// trial. Without it the page is as it was when it was loaded.

const live = document.querySelector("#live[data-events]");
let events;

function watch() {
  events = new EventSource(live.dataset.events);
  events.addEventListener("part", (event) => {
    const page = new DOMParser().parseFromString(event.data, "text/html");
    const left = [...live.querySelectorAll("[tabindex]")].map((part) => part.scrollLeft);
    live.replaceChildren(...page.body.childNodes);
    live.querySelectorAll("[tabindex]").forEach((part, index) => (part.scrollLeft = left[index] ?? 0));
  });
  events.addEventListener("over", () => {
    events.close();
    location.reload();
  });
}

if (live) {
  // A page that nobody sees costs nothing.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) events?.close();
    else watch();
  });
  if (!document.hidden) watch();
}
