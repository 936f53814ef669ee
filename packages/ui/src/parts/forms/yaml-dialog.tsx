import { parseYaml } from "@capstan/model";
import { type ReactNode, useState } from "react";
import { Button } from "../../primitives/button.tsx";
import { Dialog } from "../../primitives/dialog.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { Diff } from "../code/lazy-code.tsx";

export interface YamlDialogProps {
  title: string;
  verb: string;
  start: string;
  onClose(): void;
  /** What it would do, asked for by a button; without it what has been changed in the text is shown. */
  preview?(value: unknown): ReactNode;
  submit(value: unknown): Promise<void>;
}

/** An object as YAML: what would change is shown before it is written. */
export default function YamlDialog({ title, verb, start, onClose, preview, submit }: YamlDialogProps) {
  const [text, setText] = useState(start);
  const [failure, setFailure] = useState<unknown>();
  const [looked, setLooked] = useState<{ value: unknown }>();
  const withValue = async (act: (value: unknown) => unknown) => {
    setFailure(undefined);
    try {
      await act(parseYaml(text));
    } catch (problem) {
      setFailure(problem);
    }
  };
  const write = () =>
    withValue(async (value) => {
      await submit(value);
      onClose();
    });
  return (
    <Dialog
      title={title}
      wide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {preview && <Button onClick={() => withValue((value) => setLooked({ value }))}>Preview</Button>}
          <Button look="primary" onClick={write}>
            {verb}
          </Button>
        </>
      }
    >
      <textarea
        className="code-field yaml-field"
        spellCheck={false}
        aria-label="As YAML"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {failure !== undefined && <Problem title={`Could not: ${verb.toLowerCase()}`} failure={failure} />}
      {preview && looked && preview(looked.value)}
      {!preview && text !== start && <Diff before={start} after={text} label={title} sideBySide={false} />}
    </Dialog>
  );
}
