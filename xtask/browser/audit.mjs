// What must hold of every page: nothing complains, nothing runs that is not ours, nothing is wider than the window,
// every word can be read, and axe finds nothing serious.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// What stands in the way of people who cannot see or use a pointer, by axe's rules.
export async function barriers(page) {
  await page.evaluate(AXE);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const serious = found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
  return serious.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
}

// Collects what a page complains about; the last name is where it was.
export function watch(page) {
  const complaints = [];
  const note = (what) => complaints.push(`${page.url()}: ${what}`);
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && note(message.text()));
  page.on("pageerror", (error) => note(String(error)));
  page.on("dialog", (dialog) => {
    note(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    const isOurs = new URL(request.url()).origin === new URL(page.url()).origin;
    if (!isOurs && page.url() !== "about:blank") note(`asked for ${request.url()}`);
  });
  return complaints;
}

// How far the page is wider than the window.
export const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

// Words whose contrast is below WCAG AA, with what it is.
export const faint = (page) =>
  page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const pixel = (colours) => {
      canvas.clearRect(0, 0, 1, 1);
      for (const colour of colours) {
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
      }
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = ([red, green, blue]) => {
      const linear = [red, green, blue].map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    const behind = (element) => {
      const grounds = [];
      for (let at = element; at; at = at.parentElement) grounds.unshift(getComputedStyle(at).backgroundColor);
      return grounds;
    };
    const found = [];
    for (const element of document.querySelectorAll("body *:not(svg *)")) {
      const words = [...element.childNodes].filter((node) => node.nodeType === 3 && node.data.trim());
      if (words.length === 0 || element.getClientRects().length === 0) continue;
      const grounds = behind(element);
      const style = getComputedStyle(element);
      const [one, other] = [light(pixel(grounds)), light(pixel([...grounds, style.color]))].sort((a, b) => b - a);
      const ratio = (one + 0.05) / (other + 0.05);
      const isLarge = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
      if (ratio < (isLarge ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} ${element.tagName}.${element.className}: ${words[0].data.trim().slice(0, 40)}`);
    }
    return found;
  });
