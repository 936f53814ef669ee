import { CapstanError } from "@capstan/model";

type Labels = Readonly<Record<string, string>>;
export type LabelMatch = (labels: Labels) => boolean;

const requirement =
  /^\s*(?:(!?)\s*([\w./-]+)|([\w./-]+)\s*(=|==|!=)\s*([\w.-]*)|([\w./-]+)\s+(in|notin)\s*\(([^()]*)\))\s*$/;

/** Kubernetes' label selectors: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. */
export function parseLabelSelector(text: string): LabelMatch {
  const parts = text.split(/,(?![^(]*\))/).filter((part) => part.trim() !== "");
  const matches = parts.map((part) => parseRequirement(part, text));
  return (labels) => matches.every((match) => match(labels));
}

function parseRequirement(part: string, selector: string): LabelMatch {
  const found = requirement.exec(part);
  if (!found) {
    const problem = `"${part.trim()}" in "${selector}" is not a label requirement such as team=web, team!=web, team in (a,b) or !team`;
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
