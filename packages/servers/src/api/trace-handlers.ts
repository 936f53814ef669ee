import { isTraced, tracedFrom } from "@capstan/flow";
import { everyRoute, type RouteName } from "@capstan/wire";
import type { AnyHandler, Handlers } from "../call.ts";

/**
 * Where somebody follows what happens each call begins a trace. What a caller says of a trace of his own does not count:
 * he is a stranger, who would name another's, or have all that he asks for followed.
 */
export function traceHandlers(handlers: Handlers): Handlers {
  if (!isTraced()) return handlers;
  // The wrapped handler takes and gives what it wraps.
  const followed = everyRoute.map(
    ([name]) => [name, traceHandler(name, handlers[name] as AnyHandler)] as const,
  );
  return { ...handlers, ...Object.fromEntries(followed) } as Handlers;
}

function traceHandler(name: RouteName, handler: AnyHandler): AnyHandler {
  const step = { name: `api ${name}` };
  return (request, call) => tracedFrom(undefined, step, () => handler(request, call));
}
