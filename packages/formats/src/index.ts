export * from "./bounded-json.ts";
export * from "./expansion.ts";
export * from "./json.ts";
export * from "./survey-json.ts";
