import { addressLines } from '../../../shared/reports/document/words.ts';

type Parts = [street: string, city: string, region: string, postalCode: string];

const lines = (country: string, [street, city, region, postal_code]: Parts, home: string | null = null) =>
  addressLines({ lines: [street], city, region, postal_code, country }, 'en', home);

describe('addressLines', () => {
  test.each<[string, Parts, string[]]>([
    [
      'US',
      ['1600 Amphitheatre Pkwy', 'Mountain View', 'CA', '94043'],
      ['1600 Amphitheatre Pkwy', 'Mountain View, CA 94043', 'United States'],
    ],
    ['CA', ['1 Yonge St', 'Toronto', 'ON', 'M5E 1W7'], ['1 Yonge St', 'Toronto ON M5E 1W7', 'Canada']],
    [
      'GB',
      ['10 Downing Street', 'London', '', 'SW1A 2AA'],
      ['10 Downing Street', 'London', 'SW1A 2AA', 'United Kingdom'],
    ],
    [
      'IE',
      ['1 O’Connell St', 'Dublin', 'Dublin', 'D01 F5P2'],
      ['1 O’Connell St', 'Dublin', 'D01 F5P2', 'Ireland'],
    ],
    ['DE', ['Hauptstr. 5', 'Berlin', '', '10115'], ['Hauptstr. 5', '10115 Berlin', 'Germany']],
    ['FR', ['12 rue de Rivoli', 'Paris', '', '75001'], ['12 rue de Rivoli', '75001 Paris', 'France']],
    ['ES', ['Calle Mayor 1', 'Madrid', 'Madrid', '28013'], ['Calle Mayor 1', '28013 Madrid', 'Spain']],
    ['IT', ['Via Roma 1', 'Torino', 'TO', '10121'], ['Via Roma 1', '10121 Torino TO', 'Italy']],
    ['PT', ['Rua Augusta 1', 'Lisboa', '', '1100-048'], ['Rua Augusta 1', '1100-048 Lisboa', 'Portugal']],
    [
      'BR',
      ['Av. Paulista 1000', 'São Paulo', 'SP', '01310-100'],
      ['Av. Paulista 1000', 'São Paulo-SP', '01310-100', 'Brazil'],
    ],
    ['NL', ['Damrak 1', 'Amsterdam', '', '1012 LG'], ['Damrak 1', '1012 LG Amsterdam', 'Netherlands']],
    [
      'PL',
      ['ul. Świętojańska 12', 'Gdynia', '', '81-372'],
      ['ul. Świętojańska 12', '81-372 Gdynia', 'Poland'],
    ],
    ['GR', ['Λεωφ. Κηφισίας 7', 'Αθήνα', '', '115 23'], ['Λεωφ. Κηφισίας 7', '115 23 Αθήνα', 'Greece']],
    [
      'TR',
      ['İstiklal Cd. 1', 'Beyoğlu', 'İstanbul', '34433'],
      ['İstiklal Cd. 1', '34433 Beyoğlu/İstanbul', 'Türkiye'],
    ],
    ['UA', ['вул. Хрещатик 1', 'Київ', '', '01001'], ['вул. Хрещатик 1', 'Київ', '01001', 'Ukraine']],
    ['IL', ['Rothschild 1', 'Tel Aviv', '', '6688101'], ['Rothschild 1', 'Tel Aviv 6688101', 'Israel']],
    [
      'IN',
      ['1 MG Road', 'Bengaluru', 'Karnataka', '560001'],
      ['1 MG Road', 'Bengaluru 560001', 'Karnataka', 'India'],
    ],
    [
      'JP',
      ['千代田1-1', '千代田区', '東京都', '100-0001'],
      ['〒100-0001', '東京都千代田区', '千代田1-1', 'Japan'],
    ],
    [
      'JP',
      ['1-1 Chiyoda', 'Chiyoda-ku', 'Tokyo', '100-0001'],
      ['1-1 Chiyoda, Chiyoda-ku, Tokyo', '100-0001', 'Japan'],
    ],
    ['CN', ['长安街1号', '北京市', '北京市', '100000'], ['100000', '北京市', '长安街1号', 'China']],
    [
      'KR',
      ['세종대로 110', '중구', '서울특별시', '04524'],
      ['서울특별시 중구', '세종대로 110', '04524', 'South Korea'],
    ],
    ['AU', ['1 George St', 'Sydney', 'NSW', '2000'], ['1 George St', 'Sydney NSW 2000', 'Australia']],
    [
      'SE',
      ['Drottninggatan 1', 'Stockholm', '', '111 51'],
      ['Drottninggatan 1', 'SE-111 51 Stockholm', 'Sweden'],
    ],
    ['AE', ['Sheikh Zayed Rd', 'Dubai', 'Dubai', ''], ['Sheikh Zayed Rd', 'Dubai', 'United Arab Emirates']],
  ])('%s', (country, parts, expected) => {
    expect(lines(country, parts)).toEqual(expected);
  });

  test('without a country it is in the order of the organization’s, and without any the postal code precedes the city', () => {
    expect(lines('', ['1 George St', 'Sydney', 'NSW', '2000'], 'AU')).toEqual([
      '1 George St',
      'Sydney NSW 2000',
    ]);
    expect(lines('', ['1 George St', 'Sydney', 'NSW', '2000'])).toEqual([
      '1 George St',
      '2000 Sydney',
      'NSW',
    ]);
  });

  test('nothing that was given is lost, whatever the country', () => {
    for (const country of ['DE', 'GB', 'SG', 'HU', 'HK', 'SA', 'CL', 'ZZ', 'AQ']) {
      const written = lines(country, ['1 Street', 'Citytown', 'Regionshire', '12345'])
        .join(' ')
        .toLowerCase();
      for (const part of ['1 street', 'citytown', 'regionshire', '12345'])
        expect([country, written]).toEqual([country, expect.stringContaining(part)]);
    }
  });

  test('the country’s name is in the language of the report', () => {
    const address = { lines: [], city: 'Αθήνα', region: '', postal_code: '', country: 'GR' };
    expect(addressLines(address, 'el', null)).toEqual(['Αθήνα', 'Ελλάδα']);
    expect(addressLines(address, 'ja', null)).toEqual(['Αθήνα', 'ギリシャ']);
  });
});
