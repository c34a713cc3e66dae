"""What the source of a page says that its reader does not see: whose script fills a parked domain, guards a door."""

from collections.abc import Mapping

from afresh.base.records.link_status import Turned

SOURCE = 20_000  # characters of the source that are looked at

#: Written by services whose pages are nothing else. Lower case; a page with prose of its own is not searched.
MARKERS: Mapping[Turned, tuple[str, ...]] = {
    Turned.PARKED: (
        "sedoparking", "parkingcrew.net", "bodis.com", "bodiscdn", "parklogic", "//above.com", "www.above.com",
        "dsparking",
        "parking-lander", "window.park ", "window.park=", "data-adblockkey", "/adsense/domains/caf.js",
        "adsense/search/ads",
        "d38psrni17bvxu.cloudfront.net", "hugedomains.com", "afternic.com", "//dan.com", "cdn.dan.com",
        "undeveloped.com",
        "domainmarket.com", "buydomains.com", "namebright.com", "domainnamesales", "parkingpage.", "uniregistry",
        "skenzo", "cashparking", "trafficz", "rookmedia", "nameshift.com", "wsimg.com/parking", "forsale/lander",
        "/lander\"", "/lander'", "efty.com", "sedo.com/search", "sedo.com/checkdomain", "parking.reg.ru",
        "parking.nic.ru",
        "godaddy.com/forsale", "godaddy.com/domainsearch", "dynadot.com", "ztomy.com", "voodoo.com", "expireddomain",
        "register.domain", "brandbucket.com", "squadhelp.com", "epik.com", "giantpanda", "domainlore", "parkweb",
        "tonic.to", "freenom", "domain-parking", "domainparking", "domain_parking", "parkeddomain", "parked-domain",
    ),
    Turned.CAPTCHA: (
        "_cf_chl_opt", "cf-browser-verification", "cf_chl_", "challenge-form", "captcha-delivery.com", "px-captcha",
        "incapsula incident id", "main-iframe\" src=\"/_incapsula_resource", "awswafcookiedomainlist", "gokuprops",
        "sucuri_cloudproxy_js", "ddos-guard", "/.within.website/x/cmd/anubis", "sgcaptcha", "distil_r_captcha", "kpsdk",
        "challenge-error-title", "cf-challenge", "cf-error-details", "human-challenge", "bot-detection", "botdetect",
        "recaptcha/challengepage", "captcha-container", "captcha-page", "edgesuite.net", "errors.edgesuite",
    ),
    Turned.CONSENT_WALL: (
        "consent.google.", "guce.", "consent.yahoo", "consent.youtube", "privacywall", "cookie-wall", "cookiewall",
        "consent-wall", "pur-abo", "age-gate", "agegate", "age-verification",
    ),
    Turned.SUSPENDED: ("suspendedpage.cgi", "/cgi-sys/suspended", "suspended.page", "account-suspended"),
}  # fmt: skip


def marked(source: str) -> Mapping[Turned, str]:
    """The kinds whose mark is in the source, each with the mark that was found."""
    searched = source[:SOURCE].lower()
    found: dict[Turned, str] = {}
    for kind, marks in MARKERS.items():
        mark = next((mark for mark in marks if mark in searched), None)
        if mark is not None:
            found[kind] = mark
    return found
