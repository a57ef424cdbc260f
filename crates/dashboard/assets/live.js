// Parts of a page that change are fetched again when something happens, and put in the place of the old ones.

const PAUSE = 400;
let waiting = null;
let source = null;

const parts = () => [...document.querySelectorAll("[data-live]")];

// A part somebody types or chooses in is left alone: nothing moves under their hands.
const busy = (part) => part.contains(document.activeElement) && document.activeElement.matches("input, select, textarea, button, summary");

// Who stands on a row with the keyboard stays on it.
function replace(part, fresh) {
  const stood = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  part.replaceChildren(...fresh.childNodes);
  if (stood) [...part.querySelectorAll("a")].find((link) => link.getAttribute("href") === stood)?.focus();
}

// Where this page is found: one that answers a form is not at the form's address.
function address() {
  const path = document.getElementById("main").dataset.path;
  return path === location.pathname ? location.href : path;
}

async function refresh() {
  waiting = null;
  try {
    const answer = await fetch(address(), { headers: { accept: "text/html" }, redirect: "error" });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of parts()) {
      const fresh = page.getElementById(part.id);
      if (fresh && !busy(part) && fresh.innerHTML !== part.innerHTML) replace(part, fresh);
    }
    document.dispatchEvent(new Event("refreshed"));
  } catch {
    // The gateway is away; the stream says when it is back.
  }
}

function soon() {
  waiting ??= setTimeout(refresh, PAUSE);
}

function listen() {
  source?.close();
  source = null;
  // A page nobody looks at needs no connection; a browser has six.
  if (document.hidden || parts().length === 0 || !document.querySelector("nav.rail")) return;
  const wants = document.querySelector("[data-live-activity]") ? "/live?activity=1" : "/live";
  source = new EventSource(wants);
  source.onmessage = soon;
  source.onopen = () => {
    document.documentElement.setAttribute("data-connected", "");
    // What happened between the page and the stream, or while the gateway was away, is on neither.
    soon();
  };
  source.onerror = () => document.documentElement.removeAttribute("data-connected");
}

document.addEventListener("visibilitychange", () => {
  listen();
  if (!document.hidden) soon();
});
listen();
