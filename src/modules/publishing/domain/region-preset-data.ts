import { COUNTRY_PRESETS } from './country-preset-data.js';
import { always, OPT_IN, OPT_OUT, NOTICE, reviewed, type RegionPreset, since } from './preset-state.js';

/**
 * In the order in which they become rules: the first rule that names a region decides, so a region comes before
 * the group or country that contains it. Reasons for each mode: docs/regions.md. One list, so that its order is
 * seen at once; hence the length of this file.
 */
export const REGION_PRESETS: readonly RegionPreset[] = [
  {
    id: 'de',
    regions: ['DE'],
    law: 'TDDDG § 25',
    sources: [
      { title: 'TDDDG § 25', url: 'https://www.gesetze-im-internet.de/ttdsg/__25.html' },
      {
        title: 'DSK: Orientierungshilfen',
        url: 'https://www.datenschutzkonferenz-online.de/orientierungshilfen.html',
      },
    ],
    versions: reviewed('2026-11-26', always(OPT_IN)),
  },
  {
    id: 'at',
    regions: ['AT'],
    law: 'TKG 2021 § 165(3)',
    sources: [
      {
        title: 'TKG 2021 § 165',
        url: 'https://www.ris.bka.gv.at/NormDokument.wxe?Abfrage=Bundesnormen&Gesetzesnummer=20011678&Paragraf=165',
      },
      { title: 'Datenschutzbehörde: FAQ', url: 'https://dsb.gv.at/faqs/datenschutz-cookies' },
    ],
    versions: reviewed('2026-11-26', always(OPT_IN)),
  },
  {
    id: 'fr',
    // This law also applies in the parts of France with their own country codes, whether or not the GDPR does.
    regions: ['FR', 'BL', 'GF', 'GP', 'MF', 'MQ', 'NC', 'PF', 'PM', 'RE', 'TF', 'WF', 'YT'],
    law: 'Loi Informatique et Libertés, article 82',
    sources: [
      { title: 'Article 82', url: 'https://www.legifrance.gouv.fr/loda/article_lc/LEGIARTI000037813978' },
      {
        title: 'CNIL: overseas territories',
        url: 'https://www.cnil.fr/fr/comment-la-loi-informatique-et-libertes-sapplique-t-elle-loutre-mer',
      },
      {
        title: 'CNIL: audience measurement',
        url: 'https://www.cnil.fr/fr/cookies-solutions-pour-les-outils-de-mesure-daudience',
      },
    ],
    versions: reviewed('2026-11-26', always(OPT_IN)),
  },
  {
    id: 'it',
    regions: ['IT'],
    law: 'Codice Privacy, articolo 122',
    sources: [
      {
        title: 'Garante: guidelines of 2021-06-10',
        url: 'https://www.garanteprivacy.it/home/docweb/-/docweb-display/docweb/9677876',
      },
    ],
    versions: reviewed('2026-11-26', always(OPT_IN)),
  },
  {
    id: 'es',
    regions: ['ES'],
    law: 'LSSI, artículo 22.2',
    sources: [
      { title: 'LSSI', url: 'https://www.boe.es/buscar/act.php?id=BOE-A-2002-13758' },
      { title: 'AEPD: guide on cookies', url: 'https://www.aepd.es/guias/guia-cookies.pdf' },
    ],
    versions: reviewed('2026-11-26', always(OPT_IN)),
  },
  {
    id: 'nl',
    regions: ['NL'],
    law: 'Telecommunicatiewet, artikel 11.7a',
    sources: [{ title: 'Telecommunicatiewet', url: 'https://wetten.overheid.nl/BWBR0009950/' }],
    versions: reviewed('2026-11-26', always(OPT_IN)),
  },
  {
    id: 'eu',
    regions: ['EU'],
    law: 'ePrivacy Directive, Article 5(3), as implemented by each state of the EEA',
    sources: [
      { title: 'Directive 2002/58/EC', url: 'https://eur-lex.europa.eu/eli/dir/2002/58/oj' },
      {
        title: 'EDPB: Guidelines 2/2023',
        url: 'https://www.edpb.europa.eu/our-work-tools/our-documents/guidelines/guidelines-22023-technical-scope-art-53-eprivacy-directive_en',
      },
    ],
    versions: reviewed('2026-11-26', always(OPT_IN)),
  },
  {
    id: 'ch',
    regions: ['CH'],
    law: 'FMG Art. 45c; revised FADP',
    sources: [
      { title: 'FMG', url: 'https://www.fedlex.admin.ch/eli/cc/1997/2187_2187_2187/de' },
      { title: 'FADP', url: 'https://www.fedlex.admin.ch/eli/cc/2022/491/en' },
      {
        title: 'FDPIC: guide on cookies, 2025-10-06',
        url: 'https://www.edoeb.admin.ch/fr/guide-sur-le-traitement-des-donnees-au-moyen-de-cookies',
      },
    ],
    versions: reviewed(
      '2026-11-26',
      always({ analytics: 'opt_out', marketing: 'opt_in', preferences: 'opt_out' }),
    ),
  },
  {
    id: 'gb',
    regions: ['GB'],
    law: 'PECR, regulation 6 and Schedule A1, as amended by the Data (Use and Access) Act 2025',
    sources: [
      { title: 'PECR, regulation 6', url: 'https://www.legislation.gov.uk/uksi/2003/2426/regulation/6' },
      { title: 'DUAA, section 112', url: 'https://www.legislation.gov.uk/ukpga/2025/18/section/112' },
      { title: 'Commencement: SI 2026/82', url: 'https://www.legislation.gov.uk/uksi/2026/82' },
      {
        title: 'ICO: guidance of 2026-04-29',
        url: 'https://ico.org.uk/for-organisations/direct-marketing-and-privacy-and-electronic-communications/guidance-on-the-use-of-storage-and-access-technologies/',
      },
    ],
    versions: reviewed(
      '2026-11-26',
      always(OPT_IN),
      since('2026-02-05', { analytics: 'opt_out', marketing: 'opt_in', preferences: 'opt_out' }),
    ),
  },
  {
    id: 'ca-qc',
    regions: ['CA-QC'],
    law: 'Law 25: Act respecting the protection of personal information in the private sector, section 8.1',
    sources: [{ title: 'Chapter P-39.1', url: 'https://www.legisquebec.gouv.qc.ca/en/document/cs/p-39.1' }],
    versions: reviewed('2026-11-26', always(OPT_IN)),
  },
  {
    id: 'ca',
    regions: ['CA'],
    law: 'PIPEDA, section 6.1 and Schedule 1, principle 4.3',
    sources: [
      { title: 'PIPEDA', url: 'https://laws-lois.justice.gc.ca/eng/acts/p-8.6/FullText.html' },
      {
        title: 'OPC: online behavioural advertising',
        url: 'https://www.priv.gc.ca/en/privacy-topics/technology/online-privacy-tracking-cookies/tracking-and-ads/bg_ba_1206/',
      },
    ],
    versions: reviewed('2026-11-26', always(OPT_OUT)),
  },
  {
    id: 'br',
    regions: ['BR'],
    law: 'LGPD, artigos 7 e 8',
    sources: [
      { title: 'LGPD', url: 'https://www.planalto.gov.br/ccivil_03/_ato2015-2018/2018/lei/l13709.htm' },
      {
        title: 'ANPD: guide on cookies',
        url: 'https://www.gov.br/anpd/pt-br/centrais-de-conteudo/materiais-educativos-e-publicacoes/guia-orientativo-cookies-e-protecao-de-dados-pessoais.pdf',
      },
    ],
    versions: reviewed('2026-11-26', always(OPT_IN)),
  },
  {
    id: 'cl',
    regions: ['CL'],
    law: 'Ley 19.628, artículos 12 y 13, as amended by Ley 21.719',
    sources: [
      { title: 'Ley 21.719', url: 'https://www.bcn.cl/leychile/navegar?idNorma=1209272' },
      {
        title: 'Diario Oficial, 2024-12-13',
        url: 'https://www.diariooficial.interior.gob.cl/publicaciones/2024/12/13/44023/01/2583630.pdf',
      },
    ],
    versions: reviewed('2026-11-28', always(NOTICE), since('2026-12-01', OPT_IN)),
  },
  {
    id: 'jp',
    regions: ['JP'],
    law: 'APPI, Article 31; Telecommunications Business Act, Article 27-12',
    sources: [
      {
        title: 'PPC: guidelines on the APPI',
        url: 'https://www.ppc.go.jp/personalinfo/legal/guidelines_tsusoku/',
      },
      {
        title: 'MIC: rules on external transmission',
        url: 'https://www.soumu.go.jp/main_sosiki/joho_tsusin/d_syohi/gaibusoushin_kiritsu.html',
      },
    ],
    versions: reviewed(
      '2026-11-26',
      always({ analytics: 'notice', marketing: 'opt_in', preferences: 'notice' }),
    ),
  },
  ...COUNTRY_PRESETS,
  {
    id: 'us-gpc',
    regions: usStates('CA CO CT DE MD MN MT NE NH NJ OR TX'),
    law: 'Privacy acts of 12 states: opt-out of sale and targeted advertising, also by a browser signal',
    sources: [
      { title: 'California', url: 'https://oag.ca.gov/privacy/ccpa' },
      { title: 'Colorado', url: 'https://coag.gov/uoom/' },
      { title: 'Connecticut', url: 'https://www.cga.ct.gov/current/pub/chap_743jj.htm' },
      { title: 'Delaware', url: 'https://delcode.delaware.gov/title6/c012d/index.html' },
      {
        title: 'Maryland',
        url: 'https://mgaleg.maryland.gov/mgawebsite/Laws/StatuteText?article=gcl&section=14-4707&enactments=false',
      },
      { title: 'Minnesota', url: 'https://www.revisor.mn.gov/statutes/cite/325M.14' },
      {
        title: 'Montana',
        url: 'https://mca.legmt.gov/bills/mca/title_0300/chapter_0140/part_0280/section_0090/0300-0140-0280-0090.html',
      },
      { title: 'Nebraska', url: 'https://nebraskalegislature.gov/laws/statutes.php?statute=87-1111' },
      { title: 'New Hampshire', url: 'https://gc.nh.gov/rsa/html/LII/507-H/507-H-mrg.htm' },
      {
        title: 'New Jersey',
        url: 'https://www.njconsumeraffairs.gov/ocp/Pages/NJ-Data-Privacy-Law-FAQ.aspx',
      },
      {
        title: 'Oregon',
        url: 'https://www.doj.state.or.us/consumer-protection/for-businesses/privacy-law-faqs-for-businesses/',
      },
      { title: 'Texas', url: 'https://statutes.capitol.texas.gov/Docs/BC/htm/BC.541.htm' },
    ],
    versions: reviewed('2026-11-26', { ...always(OPT_OUT), requiresSignal: true }),
  },
  {
    id: 'us-opt-out',
    regions: usStates('FL IA NV TN UT VA'),
    law: 'Privacy acts of 6 states: opt-out of sale or targeted advertising',
    sources: [
      { title: 'Florida', url: 'https://www.flsenate.gov/Laws/Statutes/2025/Chapter501/Part_V' },
      { title: 'Iowa', url: 'https://www.legis.iowa.gov/docs/code/715D.pdf' },
      { title: 'Nevada', url: 'https://www.leg.state.nv.us/nrs/nrs-603a.html' },
      { title: 'Tennessee', url: 'https://publications.tnsosfiles.com/acts/113/pub/pc0408.pdf' },
      { title: 'Utah', url: 'https://le.utah.gov/xcode/Title13/Chapter61/13-61.html' },
      {
        title: 'Virginia',
        url: 'https://law.lis.virginia.gov/vacode/title59.1/chapter53/section59.1-578/',
      },
    ],
    versions: reviewed('2026-11-26', always(OPT_OUT)),
  },
  {
    id: 'us-2026',
    regions: usStates('IN KY RI'),
    law: 'Privacy acts of 3 states: opt-out of sale and targeted advertising',
    sources: [
      { title: 'Indiana', url: 'https://www.in.gov/attorneygeneral/files/Consumer_Data-Bill-of-Rights.pdf' },
      {
        title: 'Kentucky',
        url: 'https://www.ag.ky.gov/about/Office-Divisions/ODP/KCDPA/Pages/default.aspx',
      },
      {
        title: 'Rhode Island',
        url: 'https://webserver.rilegislature.gov/Statutes/TITLE6/6-48.1/INDEX.htm',
      },
    ],
    versions: reviewed('2026-11-26', always(NOTICE), since('2026-01-01', OPT_OUT)),
  },
  {
    id: 'us-2027',
    regions: usStates('OK'),
    law: 'Oklahoma SB 546: opt-out of sale and targeted advertising',
    sources: [
      {
        title: 'SB 546',
        url: 'https://www.oklegislature.gov/cf_pdf/2025-26%20ENR/SB/SB546%20ENR.PDF',
      },
    ],
    versions: reviewed('2026-11-26', always(NOTICE), since('2027-01-01', OPT_OUT)),
  },
  {
    id: 'us-2027-gpc',
    regions: usStates('LA'),
    law: 'Louisiana Data Privacy Act: opt-out of sale and targeted advertising, also by a browser signal',
    sources: [
      { title: 'SB 386, Act 502', url: 'https://legis.la.gov/legis/BillInfo.aspx?s=26RS&b=SB386&sbi=y' },
    ],
    versions: reviewed('2026-11-26', always(NOTICE), {
      ...since('2027-01-01', OPT_OUT),
      requiresSignal: true,
    }),
  },
  {
    id: 'us-2027-05',
    regions: usStates('AL'),
    law: 'Alabama Personal Data Protection Act: opt-out of sale and targeted advertising',
    sources: [
      {
        title: 'HB 351',
        url: 'https://alison.legislature.state.al.us/files/pdf/SearchableInstruments/2026RS/HB351-enr.pdf',
      },
    ],
    versions: reviewed('2026-11-26', always(NOTICE), since('2027-05-01', OPT_OUT)),
  },
  {
    id: 'us-2028',
    regions: usStates('VT'),
    law: 'Vermont Data Privacy and Online Surveillance Act: opt-out, also by a browser signal',
    sources: [{ title: 'S.71, Act 145', url: 'https://legislature.vermont.gov/bill/status/2026/S.71' }],
    versions: reviewed('2026-11-26', always(NOTICE), {
      ...since('2028-01-01', OPT_OUT),
      requiresSignal: true,
    }),
  },
  {
    id: 'us',
    // Federal law also applies in the territories with their own country codes.
    regions: ['US', 'AS', 'GU', 'MP', 'PR', 'UM', 'VI'],
    law: 'FTC Act, section 5: no deceptive or unfair practices',
    sources: [
      {
        title: 'FTC Act',
        url: 'https://www.ftc.gov/legal-library/browse/statutes/federal-trade-commission-act',
      },
    ],
    versions: reviewed('2026-11-26', always(NOTICE)),
  },
];

function usStates(names: string): string[] {
  return names.split(' ').map((state) => `US-${state}`);
}
