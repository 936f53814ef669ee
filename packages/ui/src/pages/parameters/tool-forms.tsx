import { AddName, type FormProps, Row, TextRow } from "./form-rows.tsx";
import { imageRows, withImage } from "./images.ts";

export function KustomizeForm({ draft, description, problems, onChange }: FormProps) {
  const rows = imageRows(description?.kustomize?.images ?? [], draft.images);
  const put = (image: string, reference: string) =>
    onChange({ images: withImage(draft.images, image, reference) });
  return (
    <section className="parameter-group" aria-label="Kustomize">
      <h2>Kustomize</h2>
      <TextRow
        label="Name prefix"
        value={draft.namePrefix}
        onChange={(namePrefix) => onChange({ namePrefix })}
      />
      <TextRow
        label="Name suffix"
        value={draft.nameSuffix}
        onChange={(nameSuffix) => onChange({ nameSuffix })}
      />
      <TextRow label="Namespace" value={draft.namespace} onChange={(namespace) => onChange({ namespace })} />
      <div className="parameter-tools">
        <h3>Images</h3>
      </div>
      {problems.has("images") && <p className="field-problem">{problems.get("images")}</p>}
      {rows.map((row) => (
        <TextRow
          key={row.name}
          label={row.name}
          isCode
          value={row.override}
          placeholder={row.original}
          hint={row.original === undefined ? "No object uses it now." : undefined}
          onChange={(reference) => put(row.name, reference)}
        />
      ))}
      {rows.length === 0 && <p className="dim">No image is known of this kustomization.</p>}
      <AddName
        label="Another image"
        placeholder="nginx:1.27 or nginx=mirror/nginx:1.27"
        onAdd={(text) => {
          const [image = "", reference] = text.split(/=(.*)/s);
          put(image.replace(/@.*$/, "").replace(/:[^/:]*$/, ""), reference || image);
        }}
      />
    </section>
  );
}

export function DirectoryForm({ draft, onChange }: FormProps) {
  return (
    <section className="parameter-group" aria-label="Directory">
      <h2>Directory</h2>
      <Row label="Folders below" htmlFor="recurse">
        <label className="check">
          <input
            id="recurse"
            type="checkbox"
            checked={draft.recurse}
            onChange={({ target }) => onChange({ recurse: target.checked })}
          />
          <span>read them too</span>
        </label>
      </Row>
      <TextRow
        label="Only files"
        isCode
        value={draft.include}
        placeholder="{*.yaml,*.json}"
        hint="A glob"
        onChange={(include) => onChange({ include })}
      />
      <TextRow
        label="No files"
        isCode
        value={draft.exclude}
        placeholder="*-test.yaml"
        hint="A glob"
        onChange={(exclude) => onChange({ exclude })}
      />
    </section>
  );
}
