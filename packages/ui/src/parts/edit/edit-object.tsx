import { parseYaml } from "@capstan/model";
import { useState } from "react";
import type { AppRef } from "../../paths.ts";
import { Button } from "../../primitives/button.tsx";
import { Dialog } from "../../primitives/dialog.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { patchObject } from "../../queries/actions.ts";
import { type ResourceId, resourceTitle } from "../../resource-id.ts";
import { Diff } from "../code/lazy-code.tsx";
import { objectText, parseObject, shownObject } from "../code/object-text.ts";
import { toYaml } from "../code/to-yaml.ts";
import { tell } from "../notices.tsx";
import { YamlEditor } from "../yaml/yaml-editor.tsx";
import { changesBetween, patchOf } from "./object-changes.ts";

interface Props {
  appRef: AppRef;
  resource: ResourceId;
  /** As the cluster gave it, as JSON. */
  manifest: string;
  onClose(): void;
}

const reading = { noise: false, status: false };

/** A live object as YAML. What the cluster would make of it is shown before it is written. */
export default function EditObject({ appRef, resource, manifest, onClose }: Props) {
  const [actual] = useState(() => parseObject(manifest));
  const [base] = useState(() => shownObject(actual, reading) ?? {});
  const before = toYaml(base);
  const [text, setText] = useState(before);
  const [tried, setTried] = useState<{ text: string; becomes: string }>();
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const title = resourceTitle(resource);
  const send = async (dryRun: boolean) => {
    setBusy(true);
    setFailure(undefined);
    try {
      const patch = patchOf(changesBetween(base, parseYaml(text)), actual);
      const becomes = await patchObject(appRef, resource, { patch, dryRun });
      setTried({ text, becomes: objectText(parseObject(becomes), reading) });
      return true;
    } catch (problem) {
      setFailure(problem);
      return false;
    } finally {
      setBusy(false);
    }
  };
  const write = async () => {
    if (!(await send(false))) return;
    tell(`${title} was written`);
    onClose();
  };
  const isTried = tried?.text === text;
  return (
    <Dialog
      wide
      title={`Edit ${title}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look={isTried ? "plain" : "primary"}
            busy={busy}
            disabled={text === before}
            onClick={() => send(true)}
          >
            Dry run
          </Button>
          {isTried && (
            <Button look="primary" busy={busy} onClick={write}>
              Write to the cluster
            </Button>
          )}
        </>
      }
    >
      <YamlEditor label={`${title} as YAML`} text={text} onChange={setText} />
      {failure !== undefined && <Problem title="Nothing was written" failure={failure} />}
      {isTried && (
        <Diff before={before} after={tried.becomes} label={`${title}, as it becomes`} sideBySide={false} />
      )}
    </Dialog>
  );
}
