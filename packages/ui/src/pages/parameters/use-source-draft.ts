import { type Application, type ApplicationSource, sourcesOf } from "@capstan/model";
import { useState } from "react";
import type { AppRef } from "../../paths.ts";
import { saveSource } from "../../queries/actions.ts";
import { useKept } from "../../queries/kept.ts";
import { changedParts, type Draft, type Part, readDraft } from "./draft.ts";
import { rebase } from "./rebase-draft.ts";
import { writeDraft } from "./write-draft.ts";

interface Kept {
  /** The source when editing began. */
  base: ApplicationSource;
  draft: Draft;
}

export interface SourceDraft {
  readonly draft: Draft;
  readonly changed: readonly Part[];
  /** Somebody else changed the source since. */
  readonly isBehind: boolean;
  readonly failure: unknown;
  readonly isSaving: boolean;
  change(patch: Partial<Draft>): void;
  discard(): void;
  /** Puts the changes on top of what is there now. */
  catchUp(): void;
  save(): Promise<void>;
}

/** What is typed stays while other tabs are looked at, and is never written over what others have set since. */
export function useSourceDraft(app: Application, appRef: AppRef, position: number): SourceDraft | undefined {
  const source = sourcesOf(app)[position];
  const [kept, keep] = useKept<Kept>(["source-draft", appRef.namespace, appRef.name, position]);
  const [failure, setFailure] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  if (!source) return undefined;
  const base = kept?.base ?? source;
  const draft = kept?.draft ?? readDraft(source);
  const changed = changedParts(readDraft(base), draft);
  const isBehind = changed.length > 0 && JSON.stringify(base) !== JSON.stringify(source);
  return {
    draft,
    changed,
    isBehind,
    failure,
    isSaving,
    change: (patch) => {
      const next = { ...draft, ...patch };
      setFailure(undefined);
      const isChanged = changedParts(readDraft(base), next).length > 0;
      keep(isChanged ? { base: changed.length > 0 ? base : source, draft: next } : undefined);
    },
    discard: () => {
      setFailure(undefined);
      keep(undefined);
    },
    catchUp: () => keep({ base: source, draft: rebase(draft, readDraft(base), readDraft(source)) }),
    save: async () => {
      setSaving(true);
      setFailure(undefined);
      try {
        await saveSource(appRef, { app, position, before: base, after: writeDraft(base, draft) });
        keep(undefined);
      } catch (problem) {
        setFailure(problem);
      } finally {
        setSaving(false);
      }
    },
  };
}
