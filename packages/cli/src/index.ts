export { commandGaps } from "./command-gaps.ts";
export { main } from "./main.ts";
