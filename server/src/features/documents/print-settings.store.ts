import type { Queryable, Tx } from "../../db/database.ts";
import type { Papers, PrintSettings } from "./print-settings.schemas.ts";

type Logo = NonNullable<PrintSettings["logo"]>;
type Row = {
  address: string;
  footer: string;
  papers: Papers;
  logo: Buffer | null;
  logo_type: Logo["contentType"];
  logo_width: number;
  logo_height: number;
  updated_at: Date;
  version: number;
};

export async function findSettings(db: Queryable, orgId: string): Promise<PrintSettings | undefined> {
  const [row] = await db.query<Row>(
    `select address, footer, papers, logo, logo_type, logo_width, logo_height, updated_at, version
       from print_settings
      where org_id = $1`,
    [orgId],
  );
  if (!row) return undefined;
  const { address, footer, papers, logo, version } = row;
  return {
    address,
    footer,
    papers,
    logo: logo && {
      contentType: row.logo_type,
      width: row.logo_width,
      height: row.logo_height,
      content: logo.toString("base64"),
    },
    updatedAt: row.updated_at.toISOString(),
    version,
  };
}

/** Locks the row of the organization, since there may be no settings yet to serialize two requests. */
export async function lockSettings(tx: Tx, orgId: string): Promise<PrintSettings | undefined> {
  await tx.query("select from organizations where id = $1 for no key update", [orgId]);
  return await findSettings(tx, orgId);
}

export async function putSettings(tx: Tx, orgId: string, settings: PrintSettings): Promise<void> {
  const { address, footer, papers, logo, updatedAt, version } = settings;
  const image = logo && Buffer.from(logo.content, "base64");
  await tx.query(
    `insert into print_settings
       (org_id, address, footer, papers, logo, logo_type, logo_width, logo_height, updated_at, version)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (org_id) do update
        set address = excluded.address,
            footer = excluded.footer,
            papers = excluded.papers,
            logo = excluded.logo,
            logo_type = excluded.logo_type,
            logo_width = excluded.logo_width,
            logo_height = excluded.logo_height,
            updated_at = excluded.updated_at,
            version = excluded.version`,
    [
      orgId,
      address,
      footer,
      JSON.stringify(papers),
      image,
      logo?.contentType ?? null,
      logo?.width ?? null,
      logo?.height ?? null,
      updatedAt,
      version,
    ],
  );
}
