import assert from "node:assert/strict";
import { test } from "node:test";
import { StreamPlaces } from "./stream-places.ts";

test("one account has its share of the streams, and gets places back that it leaves", () => {
  const places = new StreamPlaces("streams", { ofAll: 4096, ofUser: 1500 });
  const own = Array.from({ length: 1500 }, () => places.take("alice"));
  assert.throws(() => places.take("alice"), { code: "QUEUE_FULL" });
  places.take("bob");
  own[0]?.[Symbol.dispose]();
  places.take("alice");
});
