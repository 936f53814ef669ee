/** Syntax of names, with the words of apimachinery/pkg/util/validation. Each returns what is wrong. */
export type Syntax = (value: string) => string[];

const labelText = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomainText = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const underscoredText = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*";
const wildcardText = `\\*\\.${subdomainText}`;
const label1035Text = "[a-z]([-a-z0-9]*[a-z0-9])?";
const qualifiedText = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValueText = `(${qualifiedText})?`;
const configKeyText = "[-._a-zA-Z0-9]+";

const whole = (text: string): RegExp => new RegExp(`^(?:${text})$`);
const labelShape = whole(labelText);
const subdomainShape = whole(subdomainText);
const underscoredShape = whole(underscoredText);
const wildcardShape = whole(wildcardText);
const label1035Shape = whole(label1035Text);
const qualifiedShape = whole(qualifiedText);
const labelValueShape = whole(labelValueText);
const configKeyShape = whole(configKeyText);

function explain(message: string, regex: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${regex}')`;
  const list = examples.map((example) => `'${example}', `).join(" or ");
  return `${message} (e.g. ${list}regex used for validation is '${regex}')`;
}

function tooLong(value: string, most: number, unit = "characters"): string[] {
  return value.length > most ? [`must be no more than ${most} ${unit}`] : [];
}

export const labelName: Syntax = (value) => [
  ...tooLong(value, 63),
  ...(labelShape.test(value)
    ? []
    : [
        explain(
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
          labelText,
          "my-name",
          "123-abc",
        ),
      ]),
];

export const subdomainName: Syntax = (value) => [
  ...tooLong(value, 253),
  ...(subdomainShape.test(value)
    ? []
    : [
        explain(
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
          subdomainText,
          "example.com",
        ),
      ]),
];

/** What may be searched for in DNS has underscores too. */
export const underscoredName: Syntax = (value) => [
  ...tooLong(value, 253),
  ...(underscoredShape.test(value)
    ? []
    : [
        explain(
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
          underscoredText,
          "example.com",
        ),
      ]),
];

export const wildcardName: Syntax = (value) => [
  ...tooLong(value, 253),
  ...(wildcardShape.test(value)
    ? []
    : [
        explain(
          "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
          wildcardText,
          "*.example.com",
        ),
      ]),
];

export const label1035Name: Syntax = (value) => [
  ...tooLong(value, 63),
  ...(label1035Shape.test(value)
    ? []
    : [
        explain(
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
          label1035Text,
          "my-name",
          "abc-123",
        ),
      ]),
];

/** Where a name must do as one label, dots have their own message. */
export const undottedLabelName: Syntax = (value) =>
  value.includes(".") ? ["must not contain dots"] : labelName(value);

/** Anything that can stand in a path. */
export const pathSegmentName: Syntax = (value) => {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return ["/", "%"].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
};

const qualifiedMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const qualifiedExamples = ["MyName", "my.name", "123-abc"];

export const qualifiedName: Syntax = (value) => {
  const parts = value.split("/");
  if (parts.length > 2)
    return [
      `${explain(`a valid label key ${qualifiedMessage}`, qualifiedText, ...qualifiedExamples)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const name = parts.at(-1) ?? "";
  const problems: string[] = [];
  if (parts.length === 2) {
    const prefix = parts[0] ?? "";
    if (prefix === "") problems.push("prefix part must be non-empty");
    else problems.push(...subdomainName(prefix).map((message) => `prefix part ${message}`));
  }
  if (name === "") problems.push("name part must be non-empty");
  else problems.push(...tooLong(name, 63, "bytes").map((message) => `name part ${message}`));
  if (!qualifiedShape.test(name))
    problems.push(`name part ${explain(qualifiedMessage, qualifiedText, ...qualifiedExamples)}`);
  return problems;
};

export const labelValue: Syntax = (value) => [
  ...tooLong(value, 63, "bytes"),
  ...(labelValueShape.test(value)
    ? []
    : [
        explain(
          "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
          labelValueText,
          "MyValue",
          "my_value",
          "12345",
        ),
      ]),
];

export const configKey: Syntax = (value) => {
  const problems = tooLong(value, 253);
  if (!configKeyShape.test(value))
    problems.push(
      explain(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        configKeyText,
        "key.name",
        "KEY_NAME",
        "key-name",
      ),
    );
  if (value === "." || value === "..") problems.push(`must not be '${value}'`);
  else if (value.startsWith("..")) problems.push("must not start with '..'");
  return problems;
};

const reasonText = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reasonShape = whole(reasonText);

/** Why a condition is as it is, as one word. */
export const conditionReason: Syntax = (value) =>
  reasonShape.test(value)
    ? []
    : [
        explain(
          "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
          reasonText,
          "my_name",
          "MY_NAME",
          "MyName",
          "ReasonA,ReasonB",
          "ReasonA:ReasonB",
        ),
      ];

export const environmentName: Syntax = (value) =>
  /^[ -<>-~]+$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];

export const portName: Syntax = (value) => {
  const problems = tooLong(value, 15);
  if (!/^[-a-z0-9]+$/.test(value))
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(value)) problems.push("must contain at least one letter (a-z)");
  if (value.includes("--")) problems.push("must not contain consecutive hyphens");
  if (/^-|-$/.test(value)) problems.push("must not begin or end with a hyphen");
  return problems;
};

export function portNumber(value: number): string[] {
  return value >= 1 && value <= 65535 ? [] : ["must be between 1 and 65535, inclusive"];
}

export const notNegative = "must be greater than or equal to 0";
const ipv4 = /^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;
const ipv6 = /^(?=.*:)[0-9a-fA-F:]+(:\d+\.\d+\.\d+\.\d+)?$/;

export function isAddress(value: string): boolean {
  return ipv4.test(value) || ipv6.test(value);
}

export const address: Syntax = (value) =>
  isAddress(value) ? [] : ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];

export const addressRange: Syntax = (value) => {
  const [ip = "", bits = ""] = value.split("/");
  const most = ip.includes(":") ? 128 : 32;
  const fits =
    isAddress(ip) && /^\d{1,3}$/.test(bits) && Number(bits) <= most && value.split("/").length === 2;
  return fits ? [] : ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"];
};

const percentText = "[0-9]+%";

/** A count or a share: "25%". */
export function countOrPercent(value: unknown): string[] {
  if (typeof value === "number") return value < 0 ? [notNegative] : [];
  if (typeof value !== "string") return ["must be an integer or percentage (e.g '5%%')"];
  if (!/^[0-9]+%$/.test(value))
    return [
      explain(
        "a valid percent string must be a numeric string followed by an ending '%'",
        percentText,
        "1%",
        "93%",
      ),
    ];
  return [];
}

export function atMostWhole(value: unknown): string[] {
  return typeof value === "string" && Number.parseInt(value, 10) > 100
    ? ["must not be greater than 100%"]
    : [];
}
