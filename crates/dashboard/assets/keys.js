// Keys: j and k move along a list, Enter opens, / seeks, g and a letter goes to a page, ? tells them all.

const PLACES = { o: "/", r: "/review", h: "/held", s: "/servers", a: "/activity", e: "/sessions", p: "/posture" };
let leading = false;

// Where the way about is a row, the page one is on is in sight.
document.querySelector(".rail [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

const rows = () => [...document.querySelectorAll("[data-row] a[data-open]")];

function move(by) {
  const all = rows();
  if (all.length === 0) return;
  const at = all.indexOf(document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by));
  all[next].focus();
  all[next].scrollIntoView({ block: "nearest" });
}

function help() {
  let dialog = document.querySelector("dialog.keys");
  if (!dialog) {
    dialog = document.createElement("dialog");
    dialog.className = "keys";
    dialog.setAttribute("aria-label", "Keys");
    const list = document.createElement("dl");
    const lines = [
      ["j, k", "next, previous row"],
      ["Enter", "open it"],
      ["/", "seek in the list"],
      ["g o", "overview"],
      ["g r", "review"],
      ["g h", "held calls"],
      ["g s", "servers"],
      ["g a", "activity"],
      ["Esc", "close this"],
    ];
    for (const [key, what] of lines) {
      const term = document.createElement("dt");
      const said = document.createElement("dd");
      term.textContent = key;
      said.textContent = what;
      list.append(term, said);
    }
    dialog.append(list);
    document.body.append(dialog);
  }
  dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
  if (leading) {
    leading = false;
    const place = PLACES[event.key];
    if (place && document.querySelector(`nav.rail a[href="${place}"]`)) location.assign(place);
    return;
  }
  switch (event.key) {
    case "j":
      return move(1);
    case "k":
      return move(-1);
    case "g":
      leading = true;
      return;
    case "?":
      return help();
    case "/": {
      const seek = document.querySelector("form.filters input:not([type=hidden])");
      if (seek) {
        event.preventDefault();
        seek.focus();
      }
    }
  }
});
