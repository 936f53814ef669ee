import { isAddress } from "./names.ts";

const email = /^[^@\s]+@[^@\s]+$/;
const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const date = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const dateTime = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
const duration = /^([+-]?(\d+(\.\d*)?|\.\d+)\s*(ns|us|µs|ms|s|m|h|d|w)\s*)+$|^0$/;
const hostname = /^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)*\.?$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The formats that the API server checks in custom resources; others say nothing. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  byte: (text) => base64.test(text),
  cidr: (text) => /^[^/]+\/\d{1,3}$/.test(text) && isAddress(text.split("/")[0] ?? ""),
  date: (text) => date.test(text),
  "date-time": (text) => dateTime.test(text) && !Number.isNaN(Date.parse(text)),
  duration: (text) => duration.test(text),
  email: (text) => email.test(text),
  hostname: (text) => hostname.test(text),
  ipv4: (text) => isAddress(text) && !text.includes(":"),
  ipv6: (text) => isAddress(text) && text.includes(":"),
  mac: (text) => /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(text),
  uri: (text) => URL.canParse(text) || text.startsWith("/"),
  uuid: (text) => uuid.test(text),
};

export function formatProblem(format: string, text: string): boolean {
  return formats[format]?.(text) === false;
}
