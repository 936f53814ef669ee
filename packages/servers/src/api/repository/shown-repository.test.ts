import assert from "node:assert/strict";
import { test } from "node:test";
import { shownRepository } from "./shown-repository.ts";

test("nothing of a proxy's password is shown, whatever is in it", () => {
  for (const password of ["one", "one@two", "one/two"]) {
    const { proxy } = shownRepository({
      url: "https://git.example/x",
      proxy: `http://me:${password}@proxy:1`,
    });
    assert.equal(proxy, "http://proxy:1");
  }
});
