/** `node wasm-worker.ts FILE`: gives standard input to a function of kpt in wasm and prints its answer. */
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { GoProgram } from "./go-program.ts";

/** By which kpt calls a function, and asks what went wrong (kpt pkg/fn/runtime/wasmtime.go). */
const entry = "processResourceList";

const [, , file = ""] = process.argv;
const list = await text(process.stdin);
try {
  const program = GoProgram.start(readFileSync(file), (bytes) => void process.stderr.write(bytes));
  const answer = program.call(entry, list);
  if (typeof answer === "string" && /^["']?kind["']?: *["']?ResourceList/m.test(answer))
    process.stdout.write(answer);
  else {
    const problem =
      program.global[`${entry}Errors`] === undefined ? answer : program.call(`${entry}Errors`, list);
    process.stderr.write(`${String(problem)}\n`);
    process.exitCode = 1;
  }
} catch (error) {
  process.stderr.write(
    `the function cannot run: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = 1;
}
// A program that waits keeps its timers.
process.stdout.end(() => process.exit());
