/** A sample of the pages: what a newcomer types first. All of them: docs-pages.release.test.ts. */
import { describe, test } from "node:test";
import { assertUntriedSaySo, typePages } from "./docs-pages/type-pages.ts";

test("each page whose commands are not tried says so", assertUntriedSaySo);

describe("the page of docs/ that is read first, typed from the first line to the last", () => {
  typePages(["getting-started"]);
});
