import { CapstanError } from "@capstan/model";

type Labels = Readonly<Record<string, string>>;
export type LabelMatch = (labels: Labels) => boolean;

const requirement =
  /^(?:(!?)\s*([\w./-]+)|([\w./-]+)\s*(=|==|!=)\s*([\w.-]*)|([\w./-]+)\s+(in|notin)\s*\(([^()]*)\))$/;

const maxLength = 8192;
const maxRequirements = 100;

/** Kubernetes' label selectors: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. Linear in the length of the text. */
export function parseLabelSelector(text: string): LabelMatch {
  if (text.length > maxLength) throw tooLong(`is longer than ${maxLength} characters`);
  const parts = splitRequirements(text.replace(/\s+/g, " "));
  if (parts.length > maxRequirements) throw tooLong(`has more than ${maxRequirements} requirements`);
  const matches = parts.map((part) => parseRequirement(part, text));
  return (labels) => matches.every((match) => match(labels));
}

function tooLong(problem: string): CapstanError {
  return new CapstanError({ code: "INVALID_ARGUMENT", field: "selector", problem });
}

/** At the commas that stand in no parentheses. */
function splitRequirements(text: string): string[] {
  const parts: string[] = [];
  let [from, isInside] = [0, false];
  for (let at = 0; at <= text.length; at += 1) {
    const one = text[at];
    if (one === "(" || one === ")") isInside = one === "(";
    if (one !== undefined && (one !== "," || isInside)) continue;
    parts.push(text.slice(from, at).trim());
    from = at + 1;
  }
  return parts.filter((part) => part !== "");
}

function parseRequirement(part: string, selector: string): LabelMatch {
  const found = requirement.exec(part);
  if (!found) {
    const shown = (one: string) => JSON.stringify(one.length > 200 ? `${one.slice(0, 200)}…` : one);
    const problem = `${shown(part)} in ${shown(selector)} is not a label requirement such as team=web, team!=web, team in (a,b) or !team`;
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "selector", problem });
  }
  const [, not, exists, key, operator, value, setKey, setOperator, list] = found;
  if (exists !== undefined) return (labels) => Object.hasOwn(labels, exists) !== (not === "!");
  if (key !== undefined) return (labels) => (labels[key] === value) === (operator !== "!=");
  const values = new Set((list ?? "").split(",").map((one) => one.trim()));
  return (labels) => {
    const label = labels[setKey ?? ""];
    const isIn = label !== undefined && values.has(label);
    return setOperator === "in" ? isIn : !isIn;
  };
}
