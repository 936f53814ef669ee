import assert from "node:assert/strict";
import { test } from "node:test";
import { windowTimes } from "./window-times.ts";

const hour = 3_600_000;
const at = (text: string) => Date.parse(text);
const day = { fromMs: at("2026-11-23T00:00:00Z"), untilMs: at("2026-11-24T00:00:00Z") };

test("a window's openings stand on the line of a day, cut where the day is", () => {
  const night = { kind: "deny", schedule: "0 22 * * *", duration: "4h" } as const;
  assert.deepEqual(windowTimes(night, day), [
    { fromMs: day.fromMs, untilMs: day.fromMs + 2 * hour },
    { fromMs: at("2026-11-23T22:00:00Z"), untilMs: day.untilMs },
  ]);
  const berlin = windowTimes(
    { ...night, schedule: "0 9 * * 1", duration: "1h", timeZone: "Europe/Berlin" },
    day,
  );
  assert.deepEqual(berlin, [{ fromMs: at("2026-11-23T08:00:00Z"), untilMs: at("2026-11-23T09:00:00Z") }]);
});

test("what cannot be read is said, not drawn", () => {
  assert.ok("problem" in windowTimes({ schedule: "every day", duration: "1h" }, day));
  assert.ok("problem" in windowTimes({ schedule: "0 1 * * *", duration: "an hour" }, day));
});
