/** `npm run test:real -- pages`: every page of docs/ that can be typed, on one machine. */
import { describe } from "node:test";
import { allPages, typePages } from "./type-pages.ts";

describe("pages of docs/, typed from the first line to the last", () => {
  typePages(allPages);
});
