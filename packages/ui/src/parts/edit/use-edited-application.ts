import {
  type Application,
  isApplication,
  messageOf,
  mistakesOf,
  parseYaml,
  validateApplication,
} from "@capstan/model";
import { useMemo } from "react";
import { toYaml } from "../code/to-yaml.ts";

export interface EditedApplication {
  readonly text: string;
  /** What the text says; undefined while it says nothing that is one. */
  readonly value: Application | undefined;
  readonly mistakes: readonly string[];
  write(text: string): void;
  put(value: Application): void;
}

/** One Application as a text and as what a form shows; either may be changed. */
export function useEditedApplication(text: string, change: (text: string) => void): EditedApplication {
  const { value, mistakes } = useMemo(() => readApplication(text), [text]);
  return { text, value, mistakes, write: change, put: (next) => change(toYaml(next)) };
}

function readApplication(text: string): Pick<EditedApplication, "value" | "mistakes"> {
  try {
    const read = parseYaml(text);
    const mistakes = mistakesOf(validateApplication(read)).map(({ field, message }) =>
      field ? `${field}: ${message}` : message,
    );
    return { value: isApplication(read) ? read : undefined, mistakes };
  } catch (failure) {
    return { value: undefined, mistakes: [messageOf(failure)] };
  }
}
