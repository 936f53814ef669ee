import type { Application } from "@capstan/model";
import { useState } from "react";
import type { AppRef } from "../../paths.ts";
import { Button } from "../../primitives/button.tsx";
import { Dialog } from "../../primitives/dialog.tsx";
import { type Cascade, deleteApplication } from "../../queries/actions.ts";
import { objectCount } from "../application-facts.ts";
import { rightOn } from "../application-rights.ts";
import { RefusedTo, Rightful } from "../forms/rightful.tsx";
import { report } from "../notices.tsx";

interface Props {
  app: Application;
  appRef: AppRef;
  onClose(): void;
}

const ways: readonly { way: Cascade; label: string; hint: string }[] = [
  {
    way: "foreground",
    label: "Delete its objects, then it",
    hint: "The application goes when the last object is gone",
  },
  {
    way: "background",
    label: "Delete it, its objects follow",
    hint: "The cluster deletes the objects meanwhile",
  },
  { way: "orphan", label: "Delete only the application", hint: "Everything it deployed keeps running" },
];

export function DeleteDialog({ app, appRef, onClose }: Props) {
  const [way, setWay] = useState<Cascade>("foreground");
  const [typed, setTyped] = useState("");
  const count = app.status?.resources?.length ?? 0;
  const verb = way === "orphan" ? "Delete the application only" : `Delete it and ${objectCount(count)}`;
  const remove = async () => {
    const done = await report(
      { done: `${appRef.name} is being deleted`, failed: `Could not delete ${appRef.name}` },
      () => deleteApplication(appRef, way),
    );
    if (done) onClose();
  };
  return (
    <Dialog
      title={`Delete ${appRef.name}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Rightful right={rightOn(app, "delete")} otherwise={<RefusedTo verb="delete it" />}>
            <Button look="danger" disabled={typed !== appRef.name} onClick={remove}>
              {verb}
            </Button>
          </Rightful>
        </>
      }
    >
      <fieldset className="choices-list">
        <legend className="visually-hidden">What becomes of its objects</legend>
        {ways.map((option) => (
          <label key={option.way} className="check with-hint">
            <input
              type="radio"
              name="cascade"
              checked={way === option.way}
              onChange={() => setWay(option.way)}
            />
            <span>
              {option.label}
              <span className="hint">{option.hint}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <label className="field">
        <span>
          Type <b>{appRef.name}</b> to confirm
        </span>
        <input value={typed} autoComplete="off" onChange={(event) => setTyped(event.target.value)} />
      </label>
    </Dialog>
  );
}
