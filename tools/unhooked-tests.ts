/**
 * Loaded before node:test where many files share a process (bundle-tests.ts). Its harness has an async hook that follows
 * each promise and callback to its end, a tenth of what tests cost, only to say which test an uncaught error comes from.
 * Without it such an error fails the process as a whole, and its stack is printed. A file that is played alone has it.
 */
import asyncHooks from "node:async_hooks";

const { createHook } = asyncHooks;
const none: asyncHooks.AsyncHook = { enable: () => none, disable: () => none };

Object.assign(asyncHooks, {
  createHook(callbacks: asyncHooks.HookCallbacks): asyncHooks.AsyncHook {
    if (!new Error().stack?.includes("internal/test_runner/harness")) return createHook(callbacks);
    Object.assign(asyncHooks, { createHook });
    return none;
  },
});
process.on("uncaughtExceptionMonitor", tell).on("unhandledRejection", tell);

function tell(error: unknown): void {
  console.error(error);
  process.exitCode = 1;
}
