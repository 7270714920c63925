package protocol

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// numberString takes a string or a number apart from the others.
func numberString(v any) (string, error) {
	switch x := v.(type) {
	case string:
		return x, nil
	case json.Number:
		return x.String(), nil
	}
	return "", fmt.Errorf("a number is wanted")
}

// wholeNumber reads an integer from a JSON number or from a string of digits.
func wholeNumber(v any) (int64, error) {
	s, err := numberString(v)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || strings.HasPrefix(s, "+") {
		return 0, fmt.Errorf("%q is not a whole number in range", clip(s))
	}
	return n, nil
}

func jsonUint(f Field, v any) ([]byte, error) {
	if s, ok := v.(string); ok {
		if n, ok := namedValue(f, s); ok {
			return appendUint(f, n)
		}
	}
	n, err := wholeNumber(v)
	if err != nil {
		return nil, err
	}
	return appendUint(f, n)
}

// namedValue finds the number behind the names of types and results.
func namedValue(f Field, s string) (int64, bool) {
	switch f {
	case FieldTransactionType:
		t, ok := ParseTxType(s)
		return int64(t), ok
	case FieldLedgerEntryType:
		t, ok := ParseEntryType(s)
		return int64(t), ok
	case FieldTransactionResult:
		t, ok := ParseTER(s)
		return int64(t), ok
	case FieldPermissionValue:
		if p, ok := granularPermissions[s]; ok {
			return int64(p), true
		}
		t, ok := ParseTxType(s)
		return int64(t) + 1, ok
	}
	return 0, false
}

// granularPermissions are parts of transaction types that can be delegated (rippled permissions.macro).
var granularPermissions = map[string]uint32{
	"TrustlineAuthorize": 65537, "TrustlineFreeze": 65538, "TrustlineUnfreeze": 65539, "AccountDomainSet": 65540,
	"AccountEmailHashSet": 65541, "AccountMessageKeySet": 65542, "AccountTransferRateSet": 65543,
	"AccountTickSizeSet": 65544, "PaymentMint": 65545, "PaymentBurn": 65546, "MPTokenIssuanceLock": 65547,
	"MPTokenIssuanceUnlock": 65548,
}

func appendUint(f Field, n int64) ([]byte, error) {
	limit := int64(math.MaxUint32)
	switch f.Type() {
	case TypeUint8:
		limit = math.MaxUint8
	case TypeUint16:
		limit = math.MaxUint16
	}
	if n < 0 || n > limit {
		return nil, fmt.Errorf("%d is out of range 0 to %d", n, limit)
	}
	switch f.Type() {
	case TypeUint8:
		return []byte{byte(n)}, nil
	case TypeUint16:
		return binary.BigEndian.AppendUint16(nil, uint16(n)), nil
	}
	return binary.BigEndian.AppendUint32(nil, uint32(n)), nil
}

// baseTen reports whether a 64-bit field is written in decimal; the others are hexadecimal.
func baseTen(f Field) bool {
	switch f {
	case FieldMaximumAmount, FieldOutstandingAmount, FieldMPTAmount, FieldLockedAmount, FieldConfidentialOutstandingAmount:
		return true
	}
	return false
}

func jsonUint64(f Field, v any) ([]byte, error) {
	base := 16
	s, ok := v.(string)
	if !ok {
		n, ok := v.(json.Number)
		if !ok {
			return nil, fmt.Errorf("a string is wanted")
		}
		base, s = 10, n.String()
	} else if baseTen(f) {
		base = 10
	}
	n, err := strconv.ParseUint(s, base, 64)
	if err != nil || strings.HasPrefix(s, "+") || len(s) > 20 || base == 16 && len(s) > 16 {
		return nil, fmt.Errorf("%q is not a 64-bit number of base %d", clip(s), base)
	}
	return binary.BigEndian.AppendUint64(nil, n), nil
}

func jsonInt(f Field, v any) ([]byte, error) {
	n, err := wholeNumber(v)
	if err != nil {
		return nil, err
	}
	if f.Type() == TypeInt64 {
		return binary.BigEndian.AppendUint64(nil, uint64(n)), nil
	}
	if n < math.MinInt32 || n > math.MaxInt32 {
		return nil, fmt.Errorf("%d is out of range", n)
	}
	return binary.BigEndian.AppendUint32(nil, uint32(n)), nil
}
