import { isRecord } from "@capstan/formats";
import { boolean, integer, optional, string } from "@capstan/model/shapes";

/** What every service over HTTP takes (pkg/util/http/transport.go TransportOptions). */
export const transportKeys = {
  insecureSkipVerify: optional(boolean()),
  maxIdleConns: optional(integer()),
  maxIdleConnsPerHost: optional(integer()),
  maxConnsPerHost: optional(integer()),
  idleConnTimeout: optional(string()),
};

const ofConnections = ["maxIdleConns", "maxIdleConnsPerHost", "maxConnsPerHost", "idleConnTimeout"];

/** A connection is opened for each request and not kept. */
export function warnOfTransport(config: unknown): string[] {
  return ofConnections
    .filter((key) => isRecord(config) && config[key] !== undefined)
    .map((key) => `${key} has no effect: no connection is kept`);
}
