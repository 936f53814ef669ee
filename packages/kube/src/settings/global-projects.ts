import { isRecord } from "@capstan/formats";

/** An entry of globalProjects (util/settings GlobalProjectSettings). */
export interface GlobalProjectSetting {
  projectName: string;
  /** A metav1.LabelSelector; an empty one chooses every project. */
  labelSelector: Readonly<Record<string, unknown>>;
}

const operators = /^(?:In|NotIn|Exists|DoesNotExist)$/;

/** Tells of everything that cannot be read: rules that are added to nobody restrict nobody. */
export function readGlobalProjects(value: unknown, problem: (text: string) => void): GlobalProjectSetting[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    problem("is not a list of projectName and labelSelector");
    return [];
  }
  return value.flatMap((entry: unknown, index) => {
    const fault = faultOf(entry);
    if (fault !== undefined) problem(`[${index}]${fault}`);
    if (!isRecord(entry) || fault !== undefined) return [];
    const { projectName, labelSelector } = entry;
    return [
      { projectName: String(projectName), labelSelector: isRecord(labelSelector) ? labelSelector : {} },
    ];
  });
}

function faultOf(entry: unknown): string | undefined {
  if (!isRecord(entry)) return " is not an object with projectName and labelSelector";
  const { projectName, labelSelector } = entry;
  if (typeof projectName !== "string" || projectName === "") return ".projectName is missing";
  if (labelSelector === undefined || labelSelector === null) return undefined;
  if (!isRecord(labelSelector)) return ".labelSelector is not a selector of labels";
  const { matchLabels, matchExpressions, ...more } = labelSelector;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) return `.labelSelector.${unknown} is not a field of a selector`;
  if (matchLabels !== undefined && matchLabels !== null && !isRecord(matchLabels))
    return ".labelSelector.matchLabels is not a map of labels";
  if (matchExpressions === undefined || matchExpressions === null) return undefined;
  if (!Array.isArray(matchExpressions) || !matchExpressions.every(isExpression))
    return ".labelSelector.matchExpressions is not a list of key, operator (In, NotIn, Exists, DoesNotExist) and values";
  return undefined;
}

function isExpression(one: unknown): boolean {
  return isRecord(one) && typeof one.key === "string" && operators.test(String(one.operator));
}
