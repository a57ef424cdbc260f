// What runs down is counted down: the time left to decide a call.

function tick() {
  for (const place of document.querySelectorAll("[data-until]")) {
    const left = Math.max(0, Math.floor((Number(place.dataset.until) - Date.now()) / 1000));
    place.textContent = left === 0 ? "over" : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`;
    place.classList.toggle("urgent", left < 60);
  }
}

if (document.querySelector("[data-countdown]")) {
  setInterval(tick, 1000);
  document.addEventListener("refreshed", tick);
  tick();
}
