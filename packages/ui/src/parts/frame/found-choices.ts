import { useDeferredValue, useEffect, useState } from "react";
import { paths, settingsParts } from "../../paths.ts";
import { useProjects } from "../../queries/places.ts";
import { useNamedObjects } from "../../queries/resources.ts";
import { resourceKey } from "../../resource-id.ts";
import { goTo } from "../../url-state.ts";
import type { Choice } from "./rank-choices.ts";

const shownAtMost = 20;
const typingMs = 150;

const words = {
  accounts: "accounts",
  certificates: "certificates and known hosts",
  "gpg-keys": "GPG keys",
  notifications: "notifications",
} as const;

export const settingsChoices: readonly Choice[] = settingsParts.map((part) => ({
  id: `settings:${part}`,
  label: `Settings: ${words[part]}`,
  act: () => goTo(paths.settings(part)),
}));

/** Projects, and objects of all applications whose names hold the text. */
export function useFoundChoices(text: string): Choice[] {
  const asked = useSettled(useDeferredValue(text.trim()));
  const objects = useNamedObjects(asked).data?.items ?? [];
  const projects = useProjects().data?.items ?? [];
  return [
    ...projects.map(({ metadata: { name } }) => ({
      id: `project:${name}`,
      label: name,
      detail: "Project",
      act: () => goTo(paths.project(name)),
    })),
    ...objects.slice(0, shownAtMost).map((one) => ({
      id: `object:${one.application.namespace}/${one.application.name} ${resourceKey(one)}`,
      label: one.name,
      detail: `${one.kind} · ${one.application.name}`,
      health: one.health,
      act: () => goTo(paths.resource(one.application, resourceKey(one))),
    })),
  ];
}

/** The server is asked when nobody types any more. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
