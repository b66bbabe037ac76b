import { CopyText } from "../../ui/copy-text.tsx";

/** Shows a secret once; the hub does not return it again. */
export function SecretBox({ secret, publicKey }: { secret: string | null; publicKey: string | null }) {
  return (
    <div role="status" className="rounded-lg border border-warn bg-warn-soft px-3 py-2.5">
      <p className="font-medium text-warn">
        {secret ? "Copy the secret now. It is shown only once." : "Deliveries are verified with this public key."}
      </p>
      <p className="mt-1.5 rounded-md border border-line bg-panel px-2 py-1">
        <CopyText text={secret ?? publicKey ?? ""} label="Copy" />
      </p>
      <p className="mt-1.5 text-sm text-muted">
        The receiver verifies the signature of each delivery with this value. Libraries for Standard Webhooks do this.
      </p>
    </div>
  );
}
