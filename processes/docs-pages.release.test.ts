/** `npm run test:real -- pages`: every page of docs/ that can be typed, on one machine. */
import { describe } from "node:test";
import { allPages } from "./docs-pages/pages.ts";
import { typePages } from "./docs-pages/type-pages.ts";

// One page: DOCS_PAGES=ci,backup npm run test:real -- pages
const chosen = process.env.DOCS_PAGES?.split(",") ?? allPages;
describe("pages of docs/, typed from the first line to the last", () => {
  typePages(chosen);
});
