/** When windows are open: at noon of a Wednesday in UTC, and in a night in which the clocks of Berlin are put forward. */
import { test } from "node:test";
import type { SyncWindow } from "@capstan/model";
import { configMapText, movedClock, untilApplication } from "@capstan/testkit";
import { placeWithWindows, shareWorld, untilBlocked } from "./place.ts";

const clock = movedClock(Date.UTC(2027, 2, 10, 12));
const world = shareWorld({ clock });
const files = { "app/one.yaml": configMapText("one") };
const allow: SyncWindow = { kind: "allow", duration: "2h", applications: ["*"] };

/** An application that syncs itself in this window alone does so now, or is kept out. */
async function assertOpen(name: string, window: Partial<SyncWindow>, isOpen: boolean): Promise<void> {
  await using there = await placeWithWindows(world(), name, { files, windows: [{ ...allow, ...window }] });
  if (isOpen) await untilApplication(world().kube, name, ({ phase }) => phase === "Succeeded");
  else {
    await untilBlocked(there);
    await untilApplication(world().kube, name, ({ sync, phase }) => sync === "OutOfSync" && phase === "");
  }
}

const cases: [fact: string, window: Partial<SyncWindow>, isOpen: boolean][] = [
  ["within its duration", { schedule: "0 11 * * *" }, true],
  ["before it begins", { schedule: "0 13 * * *" }, false],
  ["after its end", { schedule: "0 9 * * *" }, false],
  ["begun the day before", { schedule: "0 22 * * *", duration: "15h30m" }, true],
  ["on its day of the week", { schedule: "0 11 * * WED" }, true],
  ["on another day of the week", { schedule: "0 11 * * 4" }, false],
  ["in its month, with steps and a range", { schedule: "*/30 8-12 10 3 *", duration: "45m" }, true],
  ["open in its zone alone", { schedule: "0 20 * * *", timeZone: "Asia/Tokyo" }, true],
  ["open in UTC alone", { schedule: "0 11 * * *", timeZone: "Asia/Tokyo" }, false],
  ["west of Greenwich", { schedule: "0 6 * * *", timeZone: "America/New_York" }, true],
];
for (const [index, [fact, window, isOpen]] of cases.entries())
  test(`a window at its time: ${fact}`, () => assertOpen(`time-${index}`, window, isOpen));

test("a window of hours lasts as long in the night in which the clocks are put forward", async () => {
  const night = { schedule: "0 1 * * *", duration: "3h", timeZone: "Europe/Berlin" };
  // Half past four there: it has been open for two and a half hours, and its own clock says three and a half.
  clock.advance(Date.UTC(2027, 2, 28, 2, 30) - clock.now());
  await assertOpen("night-open", night, true);
  clock.advance(3_600_000);
  await assertOpen("night-over", night, false);
});
