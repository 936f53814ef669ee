import { FormDialog } from "../../parts/forms/form-dialog.tsx";
import { DeleteButton, DialogButton } from "../../parts/forms/rightful.tsx";
import { tell } from "../../parts/notices.tsx";
import { Listing } from "../../primitives/listing.tsx";
import { createGpgKeys, deleteGpgKey, useGpgKeys } from "../../queries/places.ts";
import { SettingsFrame } from "./settings-parts.tsx";

const right = (action: string) => ({ resource: "gpgkeys", action, object: "*" });

export function GpgKeysPage() {
  const query = useGpgKeys();
  return (
    <SettingsFrame>
      <Listing
        title="GPG keys"
        query={query}
        items={query.data && (query.data.items ?? [])}
        keyOf={({ keyID = "" }) => keyID}
        actions={
          <DialogButton
            right={right("create")}
            label="Add a key…"
            look="primary"
            dialog={(close) => (
              <FormDialog
                title="Add GPG keys"
                verb="Add the keys"
                fields={[
                  {
                    name: "keyData",
                    label: "Public keys",
                    kind: "text",
                    required: true,
                    hint: "Armored, as gpg --armor --export prints them",
                  },
                ]}
                onClose={close}
                submit={async ({ keyData = "" }) => {
                  const { skipped } = await createGpgKeys(keyData);
                  if (skipped?.length) tell(`Known already: ${skipped.join(", ")}`);
                }}
              />
            )}
          />
        }
        columns={[
          { label: "Key", cell: ({ keyID }) => <code>{keyID}</code> },
          { label: "Kind", cell: ({ subType }) => subType },
          { label: "Owner", cell: ({ owner }) => owner },
          {
            label: "",
            cell: ({ keyID = "" }) => (
              <DeleteButton
                right={right("delete")}
                what={`key ${keyID}`}
                consequence="Projects that demand signatures no longer take commits that it signed."
                act={() => deleteGpgKey(keyID)}
              />
            ),
          },
        ]}
        empty={<p>Projects can demand that commits are signed by one of these keys.</p>}
      />
    </SettingsFrame>
  );
}
