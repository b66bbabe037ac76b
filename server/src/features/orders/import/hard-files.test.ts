import { expect, test } from "vitest";
import { filesOfPrograms } from "../../../testing/order-files/all-files.ts";
import { writeFile } from "../../../testing/order-files/file-of-program.ts";
import type { TestOrg } from "../../../testing/test-hub.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

/** Files of merchants that are right in every cell, and such that are not. */
const hub = await startTestHub();

type Problem = { code: string; column: string | null; row?: number; message: string };
const placesOf = (list: Problem[]): unknown[] => list.map(({ row, column, code }) => [row, column, code]);

async function importFile(org: TestOrg, csv: string, more: object = {}) {
  const { status, body } = await org.post("/orders/import", { csv, ...more });
  expect([status, body.errors], JSON.stringify(body).slice(0, 500)).toEqual([200, []]);
  return body;
}

const read = async (org: TestOrg, number: string) => (await org.get(`/orders/${encodeURIComponent(number)}`)).body;
const countOf = async (org: TestOrg): Promise<number> => (await org.get("/orders/counts")).body.total;

test("the files of nine programs are stored as they say, in every encoding", async () => {
  const encodings = ["utf8", "utf16le", "latin1"] as const;
  for (const [index, file] of filesOfPrograms.entries()) {
    const encoding = encodings[index % 3];
    const org = await hub.org();
    const text = encoding === "utf16le" ? `\uFEFF${writeFile(file)}` : writeFile(file);
    const headers = { "content-type": "text/csv" };
    const { body } = await org.post("/orders/import", undefined, { rawBody: Buffer.from(text, encoding), headers });
    expect([body.detectedPreset, body.errors], JSON.stringify(body).slice(0, 500)).toEqual([file.preset, []]);
    expect(body.summary).toMatchObject({ orders: 10, created: 10, failed: 0 });
    const { data } = (await org.get("/orders?limit=100")).body;
    const stored = new Map(data.map((order: { number: string }) => [order.number, order]));
    for (const { order } of file.orders) {
      expect(stored.get(order.number as string)).toMatchObject(JSON.parse(JSON.stringify(order)));
    }
  }
});

test.each([
  [
    "German",
    "Bestellnummer;Bestelldatum;Kundennummer;Firma;Vorname;Nachname;Straße;Hausnummer;PLZ;Ort;Land;E-Mail-Adresse;Artikelnummer;Artikelbezeichnung;Menge;Einzelpreis;Währung;Versandkosten;MwSt;Gesamtbetrag;Zahlungsart;Liefertermin;Anmerkung",
    "D-1;25.12.2026;K-7;Müller AG;Jörg;Müller;Hauptstraße;12a;1067;Dresden;Deutschland;j@example.com;TASSE;Tasse;2;1.250,50;EUR;4,90;0,00;2.505,90;Rechnung;31.12.2026;Bitte klingeln",
  ],
  [
    "French",
    "N° de commande;Date de commande;Numéro client;Société;Prénom;Nom de famille;Adresse de livraison;Code postal de livraison;Ville de livraison;Pays de livraison;Courriel;Référence produit;Désignation;Quantité;Prix unitaire;Devise;Frais de port;TVA;Montant total;Mode de paiement;Date de livraison souhaitée;Remarques",
    "D-1;25/12/2026;K-7;Müller AG;Jörg;Müller;Hauptstraße 12a;1067;Dresden;Allemagne;j@example.com;TASSE;Tasse;2;1250,50;EUR;4,90;0,00;2505,90;Rechnung;31/12/2026;Bitte klingeln",
  ],
  [
    "Spanish",
    "Número de pedido;Fecha de pedido;Número de cliente;Empresa;Nombre completo;Dirección;Código postal;Ciudad;País;Correo electrónico;Código artículo;Artículo;Cantidad;Precio unitario;Moneda;Gastos de envío;IVA;Importe total;Forma de pago;Fecha de entrega;Observaciones",
    "D-1;25/12/2026;K-7;Müller AG;Jörg Müller;Hauptstraße 12a;1067;Dresden;Alemania;j@example.com;TASSE;Tasse;2;1250,50;EUR;4,90;0,00;2505,90;Rechnung;31/12/2026;Bitte klingeln",
  ],
  [
    "Italian",
    "Numero ordine;Data ordine;Codice cliente;Azienda;Nome;Indirizzo;CAP;Città;Paese;Indirizzo email;Codice articolo;Articolo;Quantità;Prezzo unitario;Valuta;Spese di spedizione;IVA;Totale ordine;Metodo di pagamento;Data di consegna;Note",
    "D-1;25/12/2026;K-7;Müller AG;Jörg Müller;Hauptstraße 12a;1067;Dresden;Germania;j@example.com;TASSE;Tasse;2;1250,50;EUR;4,90;0,00;2505,90;Rechnung;31/12/2026;Bitte klingeln",
  ],
  [
    "Dutch",
    "Bestelnummer;Besteldatum;Klantnummer;Bedrijfsnaam;Naam;Straat;Huisnummer;Postcode;Plaats;Land;E-mailadres;Artikelnummer;Omschrijving;Aantal;Stuksprijs;Valuta;Verzendkosten;BTW;Totaalbedrag;Betaalmethode;Leverdatum;Opmerkingen",
    "D-1;25/12/2026;K-7;Müller AG;Jörg Müller;Hauptstraße;12a;1067;Dresden;Duitsland;j@example.com;TASSE;Tasse;2;1250,50;EUR;4,90;0,00;2505,90;Rechnung;31/12/2026;Bitte klingeln",
  ],
])("%s column names are recognised", async (_, header, row) => {
  const org = await hub.org();
  const body = await importFile(org, `${header}\n${row}\n`);
  expect(body.warnings.filter(({ code }: Problem) => code === "unknown_column" || code === "duplicate_field")).toEqual(
    [],
  );
  expect(await read(org, "D-1")).toMatchObject({
    orderedAt: "2026-12-25T00:00:00.000Z",
    requestedDeliveryDate: "2026-12-31",
    currency: "EUR",
    total: 2505.9,
    amounts: { shipping: 4.9, tax: 0 },
    payment: { method: "Rechnung" },
    customer: { id: "K-7", email: "j@example.com" },
    shippingAddress: {
      name: "Jörg Müller",
      company: "Müller AG",
      address1: "Hauptstraße 12a",
      zip: "01067",
      city: "Dresden",
      countryCode: "DE",
    },
    notes: [{ text: "Bitte klingeln" }],
    lines: [{ sku: "TASSE", name: "Tasse", quantity: 2, price: 1250.5 }],
  });
});

test("totals and counts below the orders are ignored", async () => {
  const org = await hub.org();
  const csv = [
    "Orders of May",
    "",
    "Order Number,SKU,Quantity,Total",
    "T-1,MUG,1,5.00",
    "T-2,Total eclipse,1,5.00",
    "",
    'Grand total:,,2,"$1,010.00"',
    "2 records,,,",
  ].join("\n");
  const body = await importFile(org, csv);
  expect(body.summary).toMatchObject({ rows: 2, orders: 2, created: 2 });
  expect(body.warnings).toContainEqual(expect.objectContaining({ code: "total_row" }));
  // A row with more than numbers is an order, whatever its number is.
  await importFile(org, "Order Number,SKU,Quantity\nTotal,MUG,1\n");
  expect(await countOf(org)).toBe(3);
});

test("a strict import creates all orders of a file or none, and names each cell", async () => {
  const org = await hub.org();
  const header = "number,sku,quantity,order date,price,currency,zip,phone";
  const rows = [
    "S-1,MUG,1,2026-01-02,5,USD,02108,1",
    "S-2,12-Mar,,03/02/2026,5,USD,1067,2.7E+09",
    ",MUG,1,2026-01-02,5,USD,02108,",
    "S-4,MUG,many,2026-01-02,5,XXY,,",
  ];
  const csv = [header, ...rows].join("\n");
  const refused = await org.post("/orders/import", { csv, strict: true });
  expect([refused.status, refused.body.code]).toEqual([400, "validation_failed"]);
  expect(placesOf(refused.body.errors)).toEqual([
    [3, "sku", "looks_like_date"],
    [3, "order date", "assumed_date_order"],
    [3, "phone", "precision_lost"],
    [3, "quantity", "assumed_quantity"],
    [3, "zip", "leading_zero_lost"],
    [4, "number", "assumed_number"],
    [5, "quantity", "not_a_number"],
    [5, "currency", "unknown_currency"],
  ]);
  expect(refused.body.errors[0]).toMatchObject({
    pointer: "/csv/3/sku",
    message: expect.stringContaining("Row 3, sku"),
  });
  const dry = (await org.post("/orders/import?strict=true", { csv, dryRun: true })).body;
  expect(placesOf(dry.errors)).toEqual(placesOf(refused.body.errors));
  expect(dry.summary).toMatchObject({ orders: 4, created: 0, failed: 4 });
  expect(await countOf(org)).toBe(0);
  // A missing column is an assumption about every row.
  const short = await org.post("/orders/import", { csv: "sku,price\nMUG,5\n", strict: true });
  expect(placesOf(short.body.errors)).toEqual([
    [1, "sku", "assumed_quantity"],
    [1, "price", "assumed_currency"],
    [1, "sku", "assumed_number"],
  ]);
  // An order that is refused by the hub takes the others with it.
  await org.post("/orders", { number: "TAKEN" });
  const taken = `${header}\n${rows[0]}\nTAKEN,MUG,1,2026-01-02,5,USD,,\n`;
  expect(placesOf((await org.post("/orders/import", { csv: taken, strict: true })).body.errors)).toEqual([
    [3, "number", "order_number_taken"],
  ]);
  expect(await countOf(org)).toBe(1);
  const preset = { name: "Strict", settings: { strict: true } };
  expect((await org.post("/import-presets", preset)).status).toBe(201);
  expect((await org.post("/orders/import", { csv, preset: "Strict" })).status).toBe(400);
  const sound = await importFile(org, `${header}\n${rows[0]}\n`, { strict: true });
  expect(sound.summary).toMatchObject({ created: 1, failed: 0 });
  // Without `strict` the same file is imported as far as possible, and each damaged cell is named.
  const lenient = (await org.post("/orders/import", { csv: csv.replace("S-1", "S-0") })).body;
  expect(lenient.summary).toMatchObject({ orders: 4, created: 3, failed: 1 });
  expect(placesOf(lenient.warnings)).toEqual(
    expect.arrayContaining([
      [3, "sku", "looks_like_date"],
      [3, "phone", "precision_lost"],
      [3, "zip", "leading_zero_lost"],
      [undefined, "quantity", "assumed_quantity"],
    ]),
  );
});

test("rows that reduce an order, fractions, unknown currencies and wrong totals", async () => {
  const org = await hub.org();
  const header = "number,sku,quantity,price,currency,subtotal,shipping amount,tax,total";
  const rows = [
    "N-1,MUG,3,10,USD,30,5,0,30",
    "N-1,10 % off,1,-5,USD,30,5,0,30",
    "N-2,MUG,3,10,USD,,,,",
    "N-2,MUG,-1,10,USD,,,,",
    "N-3,MUG,-1,10,USD,,,,",
    "N-4,MUG,0.5,10,USD,,,,",
    "N-5,MUG,1,10,ABC,,,,",
    "N-6,MUG,1,10,USD,10,5,1,99",
    "N-7,MUG,1,10,USD,10,5,1,15",
    "N-8,MUG,2.00,10,USD,,,,",
  ];
  const { body } = await org.post("/orders/import", { csv: [header, ...rows].join("\n") });
  expect(placesOf(body.errors)).toEqual([
    [6, "quantity", "minimum"],
    [7, "quantity", "type"],
    [7, "quantity", "minimum"],
    [8, "currency", "unknown_currency"],
  ]);
  expect(placesOf(body.warnings)).toEqual([
    [undefined, "price", "negative_line"],
    [undefined, "quantity", "negative_line"],
    [9, "total", "total_differs"],
  ]);
  expect(await read(org, "N-1")).toMatchObject({
    total: 30,
    amounts: { subtotal: 30, discount: 5, discounts: [{ title: "10 % off", amount: 5 }] },
    lines: [{ sku: "MUG", quantity: 3 }],
  });
  expect((await read(org, "N-1")).lines).toHaveLength(1);
  expect((await read(org, "N-2")).lines).toMatchObject([{ sku: "MUG", quantity: 2, refundedQuantity: 1 }]);
  expect((await read(org, "N-6")).total).toBe(99);
  expect((await read(org, "N-7")).amounts).toMatchObject({ tax: 1, taxIncluded: true });
  expect((await read(org, "N-8")).lines[0].quantity).toBe(2);
});

test("an order may have 3,000 lines, and no more", async () => {
  const org = await hub.org();
  const lines = (number: string, count: number): string[] =>
    Array.from({ length: count }, (_, at) => `${number},SKU-${at},1,Color: Blue,"To Ann, ${at}"`);
  const header = "number,sku,quantity,variations,personalization";
  const csv = [header, ...lines("L-1", 3_000), ...lines("L-2", 3_001), ...lines("L-3", 1)].join("\n");
  const { body } = await org.post("/orders/import", { csv });
  expect(body.summary).toMatchObject({ orders: 3, created: 2, failed: 1 });
  expect(body.errors).toMatchObject([{ row: 3_002, code: "maxItems" }]);
  const order = await read(org, "L-1");
  expect(order.lines).toHaveLength(3_000);
  expect(order.lines[2_999]).toMatchObject({
    sku: "SKU-2999",
    options: [{ name: "Color", value: "Blue" }],
    properties: [{ name: "Personalization", value: "To Ann, 2999" }],
  });
});

test("columns can be assigned to options, properties and notes by name", async () => {
  const org = await hub.org();
  const csv = "number,sku,quantity,Farbe,Motiv,Fahrer\nF-1,TEE,1,Blau,Fuchs: rot,Ann\n";
  const mapping = { Farbe: "line.options.Farbe", Motiv: "line.properties.Motiv", Fahrer: "note.Fahrer" };
  await importFile(org, csv, { mapping });
  expect(await read(org, "F-1")).toMatchObject({
    notes: [{ text: "Fahrer: Ann" }],
    lines: [{ options: [{ name: "Farbe", value: "Blau" }], properties: [{ name: "Motiv", value: "Fuchs: rot" }] }],
  });
});
