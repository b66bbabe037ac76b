import { sign, verify } from "node:crypto";
import type { Secrets } from "../core/secrets.ts";
import type { SigningKey } from "../core/signing-key.ts";
import { signingKeyFrom } from "../core/signing-key.ts";
import type { Queryable, Tx } from "../db/database.ts";

/** The end of the log of an organization. A copy kept elsewhere proves later whether entries before it are missing. */
export type Head = { orgId: string; sequence: number; hash: Buffer };
export type SignedHead = Head & { signedAt: Date; keyId: string; signature: Buffer };
export type StoredHead = Head & Partial<Pick<SignedHead, "signedAt" | "keyId" | "signature">>;

/** Signs for one surface, and knows what it, or a hub with an earlier secret key, has signed. */
export type HeadSigner = {
  keyId: string;
  sign(head: Head, at: Date): SignedHead;
  /** Undefined: with a key that this hub does not have. */
  keyOf(keyId: string): SigningKey | undefined;
  isSigned(head: StoredHead): boolean;
  textOf(head: Head & { signedAt: Date }): string;
};

export function createHeadSigner(secrets: Secrets, environment: string): HeadSigner {
  const seeds = secrets.deriveAll(`audit-head:${environment}`);
  const keys = new Map<string, SigningKey>();
  const keyOf = (keyId: string): SigningKey | undefined => {
    const seed = seeds.find((one) => one.keyId === keyId);
    if (seed && !keys.has(keyId)) keys.set(keyId, signingKeyFrom(seed.bytes));
    return keys.get(keyId);
  };
  /** What is signed, word for word: see docs/audit.md. */
  const textOf = ({ orgId, sequence, hash, signedAt }: Head & { signedAt: Date }): string =>
    [
      "order-operations-hub audit head",
      environment,
      orgId,
      sequence,
      hash.toString("hex"),
      signedAt.toISOString(),
    ].join("\n");
  return {
    keyId: secrets.keyId,
    keyOf,
    textOf,
    sign(head, at) {
      const text = textOf({ ...head, signedAt: at });
      const signature = sign(null, Buffer.from(text), keyOf(secrets.keyId)!.privateKey);
      return { ...head, signedAt: at, keyId: secrets.keyId, signature };
    },
    isSigned({ signedAt, keyId, signature, ...head }) {
      const key = keyId === undefined ? undefined : keyOf(keyId);
      if (!key || !signedAt || !signature) return false;
      return verify(null, Buffer.from(textOf({ ...head, signedAt })), key.publicKey, signature);
    },
  };
}

type HeadRow = {
  org_id: string;
  sequence: number;
  hash: Buffer;
  signed_at: Date | null;
  key_id: string | null;
  signature: Buffer | null;
};

const columns = "org_id, sequence, hash, signed_at, key_id, signature";

function headOf(row: HeadRow): StoredHead {
  const { org_id: orgId, sequence, hash, signed_at, key_id, signature } = row;
  const signed = signed_at && key_id && signature ? { signedAt: signed_at, keyId: key_id, signature } : {};
  return { orgId, sequence, hash, ...signed };
}

export async function findHead(db: Queryable, orgId: string): Promise<StoredHead | undefined> {
  const [row] = await db.query<HeadRow>(`select ${columns} from audit_heads where org_id = $1`, [orgId]);
  return row && headOf(row);
}

export function saveHead(tx: Tx, head: SignedHead): void {
  tx.queue(
    `insert into audit_heads (${columns}) values ($1, $2, $3, $4, $5, $6)
     on conflict (org_id) do update set sequence = excluded.sequence, hash = excluded.hash,
       signed_at = excluded.signed_at, key_id = excluded.key_id, signature = excluded.signature`,
    [head.orgId, head.sequence, head.hash, head.signedAt, head.keyId, head.signature],
  );
}

/**
 * Signs heads of other keys of this hub, and unsigned ones, with the current key. Called after the migration that wrote the
 * first heads, and by commands that have verified the log. Returns how many were left unchanged.
 */
export async function resignHeadsAcrossOrgs(
  db: Queryable,
  signer: HeadSigner,
  at: Date,
): Promise<{ signed: number; left: number }> {
  const rows = await db.query<HeadRow>(
    `select ${columns} from audit_heads where key_id is distinct from $1 order by org_id`,
    [signer.keyId],
  );
  const counts = { signed: 0, left: 0 };
  for (const head of rows.map(headOf)) {
    const isNew = head.signature === undefined;
    const { orgId, sequence, hash, signature } = signer.sign(head, at);
    // Only while it is the one that was looked at: a hub may have sealed more meanwhile.
    const replaced =
      isNew || signer.isSigned(head)
        ? await db.query(
            `update audit_heads set signed_at = $4, key_id = $5, signature = $6
              where org_id = $1 and sequence = $2 and hash = $3 returning 1`,
            [orgId, sequence, hash, at, signer.keyId, signature],
          )
        : undefined;
    if (replaced) counts.signed += replaced.length;
    else counts.left++;
  }
  return counts;
}
