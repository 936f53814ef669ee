import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt, valueAt } from "../json.ts";
import { notNegative, portName, portNumber } from "./names.ts";
import type { Report } from "./report.ts";

const handlers = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];

export function validateProbe(report: Report, probe: unknown, field: string): void {
  if (!isObject(probe)) return;
  validateHandler(report, probe, field);
  for (const name of [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
  ]) {
    const amount = numberAt(probe, name);
    if (amount !== undefined && amount < 0) report.invalid(`${field}.${name}`, amount, notNegative);
  }
  const needed = numberAt(probe, "successThreshold") ?? 1;
  if (!field.endsWith("readinessProbe") && needed !== 1)
    report.invalid(`${field}.successThreshold`, needed, "must be 1");
}

export function validateLifecycle(report: Report, lifecycle: JsonObject | undefined, field: string): void {
  for (const name of ["postStart", "preStop"]) {
    const handler = objectAt(lifecycle, name);
    if (handler) validateHandler(report, handler, `${field}.${name}`);
  }
}

function validateHandler(report: Report, handler: JsonObject, field: string): void {
  const given = handlers.filter((name) => isObject(handler[name]));
  if (given.length === 0) report.required(field, "must specify a handler type");
  for (const [index, name] of given.entries()) {
    if (index > 0) {
      report.forbidden(`${field}.${name}`, "may not specify more than 1 handler type");
      continue;
    }
    const at = `${field}.${name}`;
    const action = handler[name];
    if (name === "exec" && listAt(action, "command").length === 0) report.required(`${at}.command`);
    if (name === "httpGet" && !textAt(action, "path")) report.required(`${at}.path`);
    if (name === "httpGet" || name === "tcpSocket")
      validatePort(report, valueAt(action, "port"), `${at}.port`);
  }
}

/** A number, or the name of a port. */
export function validatePort(report: Report, port: unknown, field: string): void {
  if (typeof port === "number") for (const problem of portNumber(port)) report.invalid(field, port, problem);
  else if (typeof port === "string") report.syntax(field, port, portName(port).slice(0, 1));
}
