export { exchange, type ProxyVariables, type TlsSettings } from "./exchange.ts";
export { innerRefusal, isInnerAddress, isInnerHost, lookupOutside } from "./inner-addresses.ts";
export { isOwn } from "./is-own.ts";
export { type OutboundAnswer, type OutboundRequest, outbound } from "./outbound.ts";
export { readAnswer } from "./read-answer.ts";
export { readRetryAfter } from "./retry-after.ts";
