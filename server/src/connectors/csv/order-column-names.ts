import { addressNames } from "../../core/csv/csv-columns.ts";

/**
 * Column names in German, French, Spanish, Italian and Dutch, by field, in the spelling of column names: lower case, letters and
 * digits only, without accents. Names that mean several things, such as "Summe", are left to `mapping`.
 */
const translated: Readonly<Record<string, string>> = {
  number:
    "bestellnummer bestellnr auftragsnummer auftragsnr bestellungsnummer bestellid auftrag bestellung " +
    "numerodecommande numerocommande ndecommande ncommande nocommande refcommande referencecommande commande " +
    "numerodepedido numeropedido npedido nopedido pedido numeroordine numerodiordine numerodordine nordine ordine " +
    "bestelnummer ordernummer bestelling",
  status:
    "bestellstatus auftragsstatus statut statutcommande statutdelacommande estado estadodelpedido stato statoordine bestelstatus",
  paymentStatus:
    "zahlungsstatus statutdepaiement statutpaiement estadodelpago estadodepago statopagamento betaalstatus",
  tags: "schlagworte etiquettes etiquetas etichette",
  channel: "verkaufskanal kanal canal canaldevente canaldeventa canale verkoopkanaal",
  currency: "wahrung waehrung devise monnaie moneda divisa valuta",
  total:
    "gesamtbetrag gesamtsumme gesamtpreis rechnungsbetrag bestellwert montanttotal totalttc totalcommande montantcommande " +
    "importetotal totalpedido totaleordine importototale totaalbedrag totaal",
  "amounts.subtotal": "zwischensumme warenwert soustotal totalparcial subtotale subtotaal",
  "amounts.discount": "rabatt nachlass remise reduction descuento sconto korting",
  "amounts.shipping":
    "versandkosten lieferkosten fraisdeport fraisdelivraison fraisdexpedition gastosdeenvio costedeenvio " +
    "spesedispedizione costodispedizione verzendkosten",
  "amounts.tax": "mwst mehrwertsteuer umsatzsteuer ust steuer steuerbetrag tva montanttva iva impuestos btw",
  discountCode:
    "gutscheincode gutschein rabattcode codepromo codepromotionnel bonderreduction cupon codigodescuento codicesconto kortingscode",
  orderedAt:
    "bestelldatum auftragsdatum bestelltam datum datecommande datedecommande datedelacommande fechapedido fechadepedido " +
    "fechadelpedido fecha dataordine datadordine besteldatum orderdatum",
  shipBy:
    "versandbis versenden versanddatumbis expedieravant datedexpeditionprevue enviarantesde spedireentro verzendenvoor",
  deliverBy: "lieferntermin lieferterminbis lieferbis livreravant entregarantesde consegnareentro leverenvoor",
  requestedDeliveryDate:
    "wunschtermin lieferwunsch wunschlieferdatum wunschliefertermin liefertermin lieferdatum datedelivraisonsouhaitee " +
    "datedelivraison fechadeentrega datadiconsegna gewensteleverdatum leverdatum",
  "payment.method":
    "zahlungsart zahlungsmethode zahlungsweise modedepaiement moyendepaiement methodedepaiement formadepago metododepago " +
    "metododipagamento modalitadipagamento betaalmethode betaalwijze",
  "payment.reference":
    "zahlungsreferenz transaktionsnummer transaktionsid referencepaiement referenciadepago riferimentopagamento betalingskenmerk",
  poNumber:
    "kundenbestellnummer bestellnummerdeskunden referenceclient referenciacliente riferimentocliente klantreferentie uwreferentie",
  giftMessage: "grussbotschaft geschenknachricht grusstext messagecadeau mensajederegalo messaggioregalo cadeaubericht",
  "customer.id":
    "kundennummer kundennr kundenid numeroclient nclient idclient numerodecliente idcliente codicecliente klantnummer",
  "customer.name":
    "kunde kundenname kaufer kaeufer besteller client nomclient nomduclient cliente nombrecliente nombredelcliente nomecliente klant klantnaam",
  "customer.email":
    "emailadresse kundenemail mail courriel adresseemail adressemail emailclient correo correoelectronico emailcliente indirizzoemail mailadres emailadres",
  "customer.phone": "kundentelefon telephoneclient telefonocliente telefoonklant",
  "line.id": "positionsnummer positionsnr position positionsid numeroligne regelnummer",
  "line.sku":
    "artikelnummer artikelnr artnr artikelcode produktnummer sachnummer referenceproduit referencearticle refarticle refproduit codearticle codeproduit " +
    "referenciaproducto codigoarticulo codigoproducto codicearticolo codiceprodotto productcode",
  "line.name":
    "artikelbezeichnung artikelname artikel bezeichnung produkt produktname designation nomproduit nomduproduit libelle produit " +
    "article articulo producto nombreproducto nombredelproducto descripcion articolo prodotto nomeprodotto descrizione productnaam omschrijving",
  "line.quantity":
    "menge anzahl stuckzahl stueckzahl stuck stueck bestellmenge quantite qte quantitecommandee cantidad cant " +
    "unidades quantita qta aantal hoeveelheid",
  "line.price":
    "preis einzelpreis stuckpreis stueckpreis artikelpreis prix prixunitaire prixttc precio preciounitario prezzo " +
    "prezzounitario prijs stuksprijs",
  "line.total": "positionssumme gesamtpreisposition totalligne montantligne totallinea totaleriga regeltotaal",
  "line.variations":
    "variante varianten ausfuhrung ausfuehrung eigenschaften variation declinaison opciones varianti variant opties",
  "line.properties":
    "personalisierung gravur personnalisation gravure personalizacion grabado personalizzazione incisione personalisatie gravering",
  "line.hsCode": "zolltarifnummer codedouanier codesh codigohs codicehs hscode goederencode",
  "line.originCountry": "ursprungsland herkunftsland paysdorigine paisdeorigen paesediorigine landvanherkomst",
  "shipping.carrier": "versanddienstleister paketdienst transporteur transportista corriere vervoerder",
  "shipping.service":
    "versandart versandmethode lieferart modedelivraison modedexpedition metododeenvio metododispedizione verzendmethode",
  note: "anmerkung anmerkungen bemerkung bemerkungen kommentar kundenkommentar remarque remarques commentaire commentaires notas observaciones comentarios commenti opmerking opmerkingen",
};

/** The names of a field in English, then in the other languages. */
export function withTranslations(field: string, names: string): string {
  const more = translated[field];
  return more === undefined ? names : `${names} ${more}`;
}

const translatedAddress: Readonly<Record<string, string>> = {
  name: "empfanger empfaenger nom nomcomplet destinataire nombre nombrecompleto destinatario nome naam ontvanger",
  company:
    "firma firmenname unternehmen societe entreprise raisonsociale empresa azienda ragionesociale bedrijf bedrijfsnaam",
  address1:
    "strasse strassehausnummer strasseundhausnummer strassehausnr anschrift adresse rue adresse1 direccion calle direccion1 indirizzo via straat adres straatnaam",
  address2: "adresszusatz zusatz adresse2 complementadresse complementdadresse direccion2 indirizzo2 adres2 toevoeging",
  houseNumber: "housenumber hausnummer hausnr huisnummer numerocivico",
  city: "ort stadt wohnort ville localite commune ciudad poblacion localidad citta comune plaats woonplaats stad",
  province: "bundesland kanton departement provincia regione provincie",
  zip: "plz postleitzahl codepostal cp codigopostal cap codicepostale postcode",
  country: "land pays pais paese nazione",
  countryCode: "landercode laendercode landcode landkurzel codepays codigopais codicepaese isoland",
  phone:
    "telefon telefonnummer tel handy mobil mobile telephone numerodetelephone portable telefono cellulare movil telefoon telefoonnummer",
  firstName: "firstname vorname prenom nombredepila nomedibattesimo voornaam",
  lastName: "lastname surname nachname familienname nomdefamille apellido apellidos cognome achternaam",
  address3: "address3 street3 addressline3",
};

/** The parts of an address and the names of their columns, without "shipping" or "billing". */
export const addressColumnNames: Readonly<Record<string, string>> = Object.fromEntries(
  [...new Set([...Object.keys(addressNames), ...Object.keys(translatedAddress)])].map((member) => [
    member,
    [addressNames[member], translatedAddress[member]].filter((names) => names !== undefined).join(" "),
  ]),
);

export const shippingPrefixes = [
  ..."shippingaddress shipping shipto ship delivery recipient".split(" "),
  ..."lieferadresse lieferanschrift liefer versandadresse versand verzendadres verzend aflever levering".split(" "),
  "",
];
export const billingPrefixes = [
  ..."billingaddress billing billto bill".split(" "),
  ..."rechnungsadresse rechnungsanschrift rechnungs rechnung factuuradres factuur".split(" "),
];
/** Romance languages put the kind of address behind the name: "Code postal de livraison". */
export const shippingSuffixes =
  "livraison delivraison envio deenvio deentrega spedizione dispedizione diconsegna".split(" ");
export const billingSuffixes = "facturation defacturation facturacion defacturacion fatturazione difatturazione".split(
  " ",
);

/** Names in other languages that can mean several things. */
export const vagueNames =
  "auftrag bestellung commande pedido ordine bestelling datum fecha artikel produkt produit article producto articulo prodotto articolo " +
  "kunde client cliente klant nom nombre nome naam adresse adres rue via cap land tel position variante estado stato steuer rabatt preis prix prijs";
