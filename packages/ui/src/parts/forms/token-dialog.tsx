import { useState } from "react";
import { Button } from "../../primitives/button.tsx";
import { CopyButton } from "../../primitives/copy-button.tsx";
import { Dialog } from "../../primitives/dialog.tsx";
import { FormDialog } from "./form-dialog.tsx";

const daySeconds = 86_400;

interface Props {
  /** Whose: "account ci". */
  of: string;
  onClose(): void;
  create(token: { id?: string; expiresIn: number }): Promise<{ token: string }>;
}

/** Makes a token and shows it, once. */
export function TokenDialog({ of, onClose, create }: Props) {
  const [token, setToken] = useState<string>();
  if (token !== undefined)
    return (
      <Dialog
        title={`The token of ${of}`}
        onClose={onClose}
        footer={<Button onClick={onClose}>Close</Button>}
      >
        <p>It is shown this once, and kept nowhere that could show it again.</p>
        <p className="secret-once">
          {token} <CopyButton text={token} label="Copy the token" />
        </p>
      </Dialog>
    );
  return (
    <FormDialog
      title={`New token of ${of}`}
      verb="Make the token"
      start={{ days: "30" }}
      fields={[
        { name: "id", label: "Name", hint: "Without one a random one" },
        { name: "days", label: "Valid for days", hint: "0: until it is revoked" },
      ]}
      onClose={onClose}
      // The token takes the form's place.
      onDone={() => undefined}
      submit={async ({ id, days }) => {
        const expiresIn = Math.round(Number(days) * daySeconds);
        if (!(expiresIn >= 0)) throw new Error(`"${days}" is no number of days`);
        setToken((await create({ expiresIn, ...(id && { id }) })).token);
      }}
    />
  );
}
