import { always, NOTICE, OPT_IN, OPT_OUT, reviewed, type RegionPreset, since } from './preset-state.js';

/**
 * Countries that are reviewed by their general law on personal data, because no law of theirs is about cookies only.
 * None of them contains another region. Reasons for each mode: docs/regions.md.
 */
export const COUNTRY_PRESETS: readonly RegionPreset[] = [
  {
    id: 'in',
    regions: ['IN'],
    law: 'DPDP Act 2023, sections 5 and 6; DPDP Rules 2025',
    sources: [
      { title: 'DPDP Act 2023', url: 'https://www.indiacode.nic.in/handle/123456789/22037' },
      {
        title: 'Dates of commencement',
        url: 'https://www.azbpartners.com/bank/indias-digital-personal-data-protection-act-phased-rollout-and-key-compliance-milestones',
      },
    ],
    versions: reviewed('2026-11-29', always(NOTICE), since('2027-05-13', OPT_IN)),
  },
  {
    id: 'kr',
    regions: ['KR'],
    law: 'PIPA, Articles 15 and 30',
    sources: [
      { title: 'PIPA', url: 'https://www.law.go.kr/LSW/eng/engMain.do' },
      {
        title: 'Cookies and online tracking',
        url: 'https://resourcehub.bakermckenzie.com/en/resources/global-data-and-cyber-handbook/asia-pacific/south-korea/topics/cookies-online-tracking-and-direct-marketing',
      },
    ],
    versions: reviewed(
      '2026-11-29',
      always({ analytics: 'notice', marketing: 'opt_in', preferences: 'notice' }),
    ),
  },
  {
    id: 'cn',
    regions: ['CN'],
    law: 'PIPL, Articles 13, 14 and 24',
    sources: [{ title: 'PIPL', url: 'https://www.cac.gov.cn/2021-08/20/c_1631050028355286.htm' }],
    versions: reviewed('2026-11-29', always(OPT_IN)),
  },
  {
    id: 'sg',
    regions: ['SG'],
    law: 'PDPA 2012, sections 13 to 15A',
    sources: [
      { title: 'PDPA 2012', url: 'https://sso.agc.gov.sg/Act/PDPA2012' },
      {
        title: 'Cookies in Singapore',
        url: 'https://twobirds.com/en/trending-topics/global-cookie-review/singapore',
      },
    ],
    versions: reviewed(
      '2026-11-29',
      always({ analytics: 'opt_out', marketing: 'opt_in', preferences: 'opt_out' }),
    ),
  },
  {
    id: 'th',
    regions: ['TH'],
    law: 'PDPA B.E. 2562, sections 19 and 24',
    sources: [
      { title: 'PDPA B.E. 2562', url: 'https://www.ratchakitcha.soc.go.th/DATA/PDF/2562/A/069/T_0052.PDF' },
    ],
    versions: reviewed('2026-11-29', always(OPT_IN)),
  },
  {
    id: 'id',
    regions: ['ID'],
    law: 'UU 27/2022, pasal 20 dan 22',
    sources: [{ title: 'UU 27/2022', url: 'https://peraturan.bpk.go.id/Details/229798/uu-no-27-tahun-2022' }],
    versions: reviewed('2026-11-29', always(OPT_IN)),
  },
  {
    id: 'my',
    regions: ['MY'],
    law: 'Personal Data Protection Act 2010, sections 6 and 7',
    sources: [{ title: 'Department of Personal Data Protection', url: 'https://www.pdp.gov.my/' }],
    versions: reviewed('2026-11-29', always(OPT_IN)),
  },
  {
    id: 'ph',
    regions: ['PH'],
    law: 'Data Privacy Act of 2012, section 12',
    sources: [{ title: 'Data Privacy Act of 2012', url: 'https://privacy.gov.ph/data-privacy-act/' }],
    versions: reviewed('2026-11-29', always(OPT_IN)),
  },
  {
    id: 'vn',
    regions: ['VN'],
    law: 'Law 91/2025/QH15 on personal data protection',
    sources: [
      {
        title: 'Law 91/2025/QH15',
        url: 'https://www.recordinglaw.com/world-laws/world-data-privacy-laws/vietnam-data-privacy-laws/',
      },
    ],
    versions: reviewed('2026-11-29', always(OPT_IN)),
  },
  {
    id: 'tr',
    regions: ['TR'],
    law: 'KVKK, Law 6698, article 5',
    sources: [
      { title: 'Law 6698', url: 'https://www.kvkk.gov.tr/Icerik/6649/Personal-Data-Protection-Law' },
      {
        title: 'Guideline on cookies, 2022-06-20',
        url: 'https://inplp.com/en/latest-news/article/the-guidelines-on-use-of-cookies-in-turkey/',
      },
    ],
    versions: reviewed('2026-11-29', always(OPT_IN)),
  },
  {
    id: 'il',
    regions: ['IL'],
    law: 'Privacy Protection Law 5741-1981, as amended on 2025-08-14',
    sources: [
      {
        title: 'Privacy Protection Authority',
        url: 'https://www.gov.il/en/departments/the_privacy_protection_authority',
      },
    ],
    versions: reviewed('2026-11-29', always(OPT_OUT)),
  },
  {
    id: 'sa',
    regions: ['SA'],
    law: 'Personal Data Protection Law, articles 5 and 6',
    sources: [{ title: 'Data Governance Platform', url: 'https://dgp.sdaia.gov.sa/' }],
    versions: reviewed('2026-11-29', always(OPT_IN)),
  },
  {
    id: 'ae',
    regions: ['AE'],
    law: 'Federal Decree-Law 45/2021, articles 4 and 6',
    sources: [
      { title: 'Federal Decree-Law 45/2021', url: 'https://uaelegislation.gov.ae/en/legislations/1972' },
      {
        title: 'Cookies in the UAE',
        url: 'https://cm.twobirds.com/en/trending-topics/global-cookie-review/uae',
      },
    ],
    versions: reviewed('2026-11-29', always(OPT_IN)),
  },
  {
    id: 'rs',
    regions: ['RS'],
    law: 'ZZPL, članovi 12 i 15',
    sources: [{ title: 'Commissioner', url: 'https://www.poverenik.rs/' }],
    versions: reviewed('2026-11-29', always(OPT_IN)),
  },
  {
    id: 'ua',
    regions: ['UA'],
    law: 'Law 2297-VI on personal data protection, articles 6 and 11',
    sources: [{ title: 'Law 2297-VI', url: 'https://zakon.rada.gov.ua/laws/show/2297-17' }],
    versions: reviewed('2026-11-29', always(OPT_IN)),
  },
  {
    id: 'za',
    regions: ['ZA'],
    law: 'POPIA, sections 11, 18 and 69',
    sources: [
      { title: 'POPIA', url: 'https://inforegulator.org.za/popia/' },
      {
        title: 'Guidance note of 2024-12-03, summarized',
        url: 'https://novcon.co.za/2024/12/04/updated-guidance-on-direct-marketing-and-popia-part-two/',
      },
    ],
    versions: reviewed(
      '2026-11-29',
      always({ analytics: 'opt_out', marketing: 'opt_in', preferences: 'opt_out' }),
    ),
  },
  {
    id: 'mx',
    regions: ['MX'],
    law: 'LFPDPPP 2025: privacy notice and tacit consent',
    sources: [
      { title: 'LFPDPPP', url: 'https://www.diputados.gob.mx/LeyesBiblio/pdf/LFPDPPP.pdf' },
      {
        title: 'Cookies in Mexico',
        url: 'https://twobirds.com/en/trending-topics/global-cookie-review/mexico',
      },
    ],
    versions: reviewed('2026-11-29', always(OPT_OUT)),
  },
  {
    id: 'ar',
    regions: ['AR'],
    law: 'Ley 25.326, artículos 5 y 6',
    sources: [
      {
        title: 'Ley 25.326',
        url: 'https://servicios.infoleg.gob.ar/infolegInternet/anexos/60000-64999/64790/texact.htm',
      },
      {
        title: 'Cookies in Argentina',
        url: 'https://twobirds.com/en/trending-topics/global-cookie-review/argentina',
      },
    ],
    versions: reviewed('2026-11-29', always(OPT_IN)),
  },
  {
    id: 'au',
    regions: ['AU'],
    law: 'Privacy Act 1988, Australian Privacy Principles 1 and 5',
    sources: [
      { title: 'Privacy Act 1988', url: 'https://www.legislation.gov.au/C2004A03712/latest' },
      {
        title: 'OAIC: tracking pixels',
        url: 'https://oaic.gov.au/news/media-centre/oaic-publishes-guidance-on-tracking-pixels-and-privacy-obligations',
      },
    ],
    versions: reviewed('2026-11-29', always(NOTICE)),
  },
  {
    id: 'nz',
    regions: ['NZ'],
    law: 'Privacy Act 2020, information privacy principle 3',
    sources: [
      {
        title: 'Privacy Act 2020',
        url: 'https://www.legislation.govt.nz/act/public/2020/0031/latest/LMS23223.html',
      },
    ],
    versions: reviewed('2026-11-29', always(NOTICE)),
  },
];
