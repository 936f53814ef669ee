/** Order in which Kubernetes objects are read; other fields follow by name. */
const firstFields = ["apiVersion", "kind", "metadata", "type", "spec", "data", "stringData"];
const lastFields = ["status"];

function fieldRank(name: string): number {
  const first = firstFields.indexOf(name);
  if (first >= 0) return first - firstFields.length;
  return lastFields.includes(name) ? 1 : 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** YAML for reading: one spelling per value, so that two texts differ only where the objects do. */
export function toYaml(value: unknown): string {
  return `${lines(value, "", true).join("\n")}\n`;
}

function lines(value: unknown, indent: string, top = false): string[] {
  if (Array.isArray(value))
    return value.length === 0 ? ["[]"] : value.flatMap((entry) => listEntry(entry, indent));
  if (!isObject(value)) return [scalar(value)];
  const names = Object.keys(value).sort((left, right) => {
    const byRank = top ? fieldRank(left) - fieldRank(right) : 0;
    return byRank || (left < right ? -1 : 1);
  });
  return names.length === 0 ? ["{}"] : names.flatMap((name) => field(name, value[name], indent));
}

function isEmpty(value: unknown): boolean {
  return (Array.isArray(value) && value.length === 0) || (isObject(value) && Object.keys(value).length === 0);
}

function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null && !isEmpty(value);
}

function field(name: string, value: unknown, indent: string): string[] {
  const key = `${indent}${quoteIfNeeded(name)}:`;
  if (isNested(value)) return [key, ...lines(value, Array.isArray(value) ? indent : `${indent}  `)];
  if (isBlock(value)) return blockText(`${key} `, value, `${indent}  `);
  return [`${key} ${lines(value, "").join("")}`];
}

function listEntry(entry: unknown, indent: string): string[] {
  if (isBlock(entry)) return blockText(`${indent}- `, entry, `${indent}  `);
  if (!isNested(entry)) return [`${indent}- ${lines(entry, "").join("")}`];
  const inner = lines(entry, `${indent}  `);
  const first = inner[0] ?? "";
  return [`${indent}- ${first.slice(indent.length + 2)}`, ...inner.slice(1)];
}

/** Texts of several lines are read as such; trailing spaces would be lost in a block. */
function isBlock(value: unknown): value is string {
  return typeof value === "string" && value.includes("\n") && !/[^\S\n]+\n|[^\S\n]$|^\s|\r|\t/.test(value);
}

function blockText(head: string, text: string, indent: string): string[] {
  const body = text.replace(/\n+$/, "");
  const trailing = text.length - body.length;
  const mark = trailing === 0 ? "|-" : trailing === 1 ? "|" : "|+";
  const rows = body.split("\n").map((row) => (row === "" ? "" : indent + row));
  return [head + mark, ...rows, ...Array.from({ length: Math.max(0, trailing - 1) }, () => "")];
}

function scalar(value: unknown): string {
  return typeof value === "string" ? quoteIfNeeded(value) : JSON.stringify(value ?? null);
}

const plain = /^[A-Za-z_./$*][\w./@$%^*()+=~ ,;:<>|-]*$/;
const meansOther = /^(?:true|false|null|yes|no|on|off|y|n|~|[-+]?\.?(?:inf|nan))$/i;
const number = /^[-+]?[\d.][\d._]*(?:e[-+]?\d+)?$|^0[xob][\da-f]+$/i;

function quoteIfNeeded(text: string): string {
  const unsafe =
    !/^[\w./$-]/.test(text) ||
    text.startsWith("-") ||
    meansOther.test(text) ||
    number.test(text) ||
    /: |:$| #|[\n\t\r]|\s$/.test(text) ||
    /^\d{4}-\d\d/.test(text) ||
    (!plain.test(text) && !/^[\w./$-][^{}[\]&!'"`\\]*$/.test(text));
  return unsafe ? JSON.stringify(text) : text;
}
