import { fileSchema, parseYaml, type SchemaName } from "@capstan/model";
import { type ReactNode, useState } from "react";
import { Button } from "../../primitives/button.tsx";
import { Dialog } from "../../primitives/dialog.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { Diff } from "../code/lazy-code.tsx";
import { YamlEditor } from "../yaml/yaml-editor.tsx";

export interface YamlDialogProps {
  title: string;
  verb: string;
  /** Of what it is. */
  schema: SchemaName;
  start: string;
  onClose(): void;
  /** What it would do, asked for by a button; without it what has been changed in the text is shown. */
  preview?(value: unknown): ReactNode;
  submit(value: unknown): Promise<void>;
}

/** Made once for each kind. */
const schemas = new Map<SchemaName, object>();

function schemaOf(name: SchemaName): object {
  const known = schemas.get(name) ?? fileSchema(name);
  schemas.set(name, known);
  return known;
}

/** An object as YAML: what would change is shown before it is written. */
export default function YamlDialog({
  title,
  verb,
  schema,
  start,
  onClose,
  preview,
  submit,
}: YamlDialogProps) {
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
      <YamlEditor label="As YAML" text={text} schema={schemaOf(schema)} onChange={setText} />
      {failure !== undefined && <Problem title={`Could not: ${verb.toLowerCase()}`} failure={failure} />}
      {preview && looked && preview(looked.value)}
      {!preview && text !== start && <Diff before={start} after={text} label={title} sideBySide={false} />}
    </Dialog>
  );
}
